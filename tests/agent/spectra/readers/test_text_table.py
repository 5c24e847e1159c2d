from __future__ import annotations

import numpy as np
import pytest

from agent.errors import ReadError
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples

W, F = samples.WAVELENGTH, samples.FLUX
THREE = (W, F, np.full(samples.PIXELS, 2.0))


@pytest.mark.parametrize("glue", [" ", "   ", "\t", ",", ", ", ";", "|"])
@pytest.mark.parametrize("named", [True, False])
def test_two_columns(given: Given, glue: str, named: bool) -> None:
    head = f"wavelength{glue}flux\n" if named else ""
    spectrum = given(samples.text(head=head, glue=glue), "star.dat")
    np.testing.assert_allclose(spectrum.wavelength, W, atol=1e-6)
    np.testing.assert_allclose(spectrum.flux, F, atol=1e-6)
    assert spectrum.ivar is None
    assert spectrum.object_id == "star"
    assert spectrum.format == ("CSV" if glue.startswith(",") else "text table")


def test_commented_header_and_units_row(given: Given) -> None:
    named = given(samples.text((F, W, F), "# a star\n# flux wavelength error\n"), "a.txt")
    np.testing.assert_allclose(named.wavelength, W, atol=1e-6, err_msg="named by the comment")
    units = given(samples.text((W / 10, F), "lambda,flux\nnm,Jy\n", ","), "a.csv")
    np.testing.assert_allclose(units.wavelength, W, atol=1e-4)
    assert units.flux_unit == "Jy"


def test_ecsv(given: Given) -> None:
    head = (
        "# %ECSV 1.0\n# ---\n# datatype:\n"
        "# - {name: wavelength, unit: nm, datatype: float64}\n"
        "# - {name: flux, unit: erg / (Angstrom s cm2), datatype: float64}\n"
        "wavelength flux\n"
    )
    spectrum = given(samples.text((W / 10, F), head), "a.ecsv")
    np.testing.assert_allclose(spectrum.wavelength, W, atol=1e-4)
    assert spectrum.flux_unit == "erg / (Angstrom s cm2)"


def test_units_in_brackets(given: Given) -> None:
    spectrum = given(samples.text((W / 1e4, F), "Wavelength (um),Flux [Jy]\n", ","), "a.csv")
    np.testing.assert_allclose(spectrum.wavelength, W, atol=0.01)


def test_third_unnamed_column_is_the_error_with_a_warning(given: Given) -> None:
    spectrum = given(samples.text(THREE), "a.dat")
    assert spectrum.ivar is not None
    assert spectrum.ivar[0] == 0.25
    assert any("third was taken as the error" in warning for warning in spectrum.warnings)


def test_columns_out_of_order_and_quoted(given: Given) -> None:
    lines = ['"id","flux","ivar","wavelength"']
    lines += [f'"a,{i}",{F[i]:.4f},0.5,{W[i]:.4f}' for i in range(50)]
    spectrum = given("\r\n".join(lines).encode("utf-8-sig"), "a.csv")
    assert len(spectrum) == 50
    assert spectrum.flux[0] == pytest.approx(F[0])


def test_missing_cells_are_bad_pixels(given: Given) -> None:
    lines = ["wavelength,flux"] + [
        f"{W[i]:.3f},{'' if i == 4 else 'nan' if i == 5 else 1}" for i in range(40)
    ]
    spectrum = given("\n".join(lines).encode(), "a.csv")
    assert len(spectrum) == 40
    assert spectrum.n_bad == 2


def test_a_few_cut_lines_are_dropped_many_are_refused(given: Given) -> None:
    whole = samples.text().decode().splitlines()
    assert given("\n".join([*whole, "9999.0"]).encode(), "a.dat").warnings
    with pytest.raises(ReadError, match="have too few columns"):
        given("\n".join([*whole, *["9999.0"] * 50]).encode(), "a.dat")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"ra,dec\n1,2\n3,4\n", "no column is named like a wavelength"),
        (b"hello world\nthis is prose\nof three lines\n", "not a table of numbers"),
        (b"1 2\n" * 3, "only 3 lines"),
        (b"1 5\n9 5\n2 5\n8 5\n1 5\n7 5\n", "first is not monotonic"),
        (b"5\n6\n7\n8\n9\n", "not a table of numbers"),
        (b"\x89PNG\x00\x00\x01" * 30, "not a text table"),
        (b"1 2\n" * 900 + b"\x00", "not text"),
        (b"\n" * 1_000_002, "more than 1000000 lines"),
        (b"1 " * 60_000, "lines of more than 100000 characters"),
    ],
)
def test_what_is_no_spectrum(given: Given, data: bytes, reason: str) -> None:
    with pytest.raises(ReadError, match=reason):
        given(data, "list.txt")
