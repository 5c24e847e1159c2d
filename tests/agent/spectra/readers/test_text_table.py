import re
from io import StringIO

import numpy as np
import pytest
from astropy.io import ascii as astropy_ascii

from agent.errors import ReadError
from agent.spectra.readers import text_table
from agent.spectra.readers.columns import is_error
from agent.spectra.readers.text_table import with_tabs
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


def test_units_stand_in_a_row_or_in_brackets_with_a_number_before_them(given: Given) -> None:
    named = given(samples.text((F, W, F), "# a star\n# flux wavelength error\n"), "a.txt")
    np.testing.assert_allclose(named.wavelength, W, atol=1e-6, err_msg="named by the comment")
    units = given(samples.text((W / 10, F), "lambda,flux\nnm,Jy\n", ","), "a.csv")
    np.testing.assert_allclose(units.wavelength, W, atol=1e-4)
    assert units.flux_unit == "Jy"
    spectrum = given(samples.text((W / 1e4, F), "Wavelength (um),Flux [Jy]\n", ","), "a.csv")
    np.testing.assert_allclose(spectrum.wavelength, W, atol=0.01)
    spectrum = given(samples.text((W, F), "lambda,flux\n0.1nm,Jy\n", ","), "a.csv")
    np.testing.assert_allclose(spectrum.wavelength, W, atol=1e-5)


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


def test_third_unnamed_column_is_the_error_with_a_warning(given: Given) -> None:
    spectrum = given(samples.text(THREE), "a.dat")
    assert spectrum.ivar[0] == 0.25
    assert any("third was taken as the error" in warning for warning in spectrum.warnings)


def test_columns_out_of_order_and_quoted(given: Given) -> None:
    lines = ['"id","flux","ivar","wavelength"']
    lines += [f'"a,{i}",{F[i]:.4f},0.5,{W[i]:.4f}' for i in range(50)]
    spectrum = given("\r\n".join(lines).encode("utf-8-sig"), "a.csv")
    assert len(spectrum) == 50
    assert spectrum.flux[0] == pytest.approx(F[0])


def test_missing_cells_are_bad_pixels_and_empty_ones_move_no_other(given: Given) -> None:
    lines = ["wavelength,flux"] + [
        f"{W[i]:.3f},{'' if i == 4 else 'nan' if i == 5 else 1}" for i in range(40)
    ]
    spectrum = given("\n".join(lines).encode(), "a.csv")
    assert len(spectrum) == 40
    assert spectrum.n_bad == 2
    lines = ["wavelength\tflux\terr", *(f"{W[i]:.3f}\t{F[i]:.3f}\t2" for i in range(40))]
    lines[6] = "\t7.0\t2"
    lines[9] = f"{W[8]:.3f}\t8.0\t"
    spectrum = given("\n".join(lines).encode(), "a.tsv")
    assert len(spectrum) == 39
    assert 7.0 not in spectrum.flux
    assert not spectrum.good[spectrum.flux == 8.0].any()


def test_a_few_cut_lines_are_dropped_many_are_refused(given: Given) -> None:
    whole = samples.text().decode().splitlines()
    assert given("\n".join([*whole, "9999.0"]).encode(), "a.dat").warnings
    with pytest.raises(ReadError, match="have too few columns"):
        given("\n".join([*whole, *["9999.0"] * 50]).encode(), "a.dat")


@pytest.mark.parametrize(("data", "reason"), [
    (b"ra,dec\n1,2\n3,4\n", "no column is named like a wavelength"),
    (b"hello world\nthis is prose\nof three lines\n", "not a table of numbers"),
    (b"1 2\n" * 3, "only 3 lines"),
    (b"1 5\n9 5\n2 5\n8 5\n1 5\n7 5\n", "first is not monotonic"),
    (b"5\n6\n7\n8\n9\n", "not a table of numbers"),
    (b"\x89PNG\x00\x00\x01" * 30, "not a text table"),
    (b"1 2\n" * 900 + b"\x00", "not text"),
    (b"\n" * 1_000_002, "more than 1000000 lines"),
    (b"1 " * 60_000, "lines of more than 100000 characters"),
])  # fmt: skip
def test_what_is_no_spectrum(given: Given, data: bytes, reason: str) -> None:
    with pytest.raises(ReadError, match=reason):
        given(data, "list.txt")


def standard(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A smooth star with a line, sampled every 50 angstrom."""
    wavelength = 3200.0 + 50.0 * np.arange(130)
    line = 1 - 0.2 * np.exp(-0.5 * ((wavelength - 4861.0) / 60) ** 2)
    return wavelength, 900.0 * (wavelength / 3200) ** -2.5 * line * rng.normal(1, 0.01, 130)


@pytest.mark.parametrize("what", ["mJy", "photons", "AB", "bins", "signal-to-noise", "negative"])
def test_an_unnamed_third_column_that_is_no_error_is_not_used(
    given: Given, rng: np.random.Generator, what: str
) -> None:
    wavelength, flux = standard(rng)
    third = {
        "mJy": flux * 1e-16 * wavelength**2 / 2.998e18 * 1e26,
        "photons": np.round(flux * wavelength / 2e4, 1),
        "AB": -2.5 * np.log10(flux * wavelength**2) + 35.0,
        "bins": np.full(130, 50.0),
        "signal-to-noise": np.full(130, 3000.0),
        "negative": rng.normal(0, 9, 130),
    }[what]
    spectrum = given(samples.text((wavelength, flux, third)), "standard.dat")
    assert spectrum.ivar is None
    assert any("the third is not like the error" in warning for warning in spectrum.warnings)


@pytest.mark.parametrize("what", ["poisson", "percent", "sky"])
def test_an_unnamed_third_column_of_the_size_of_the_scatter_is_the_error(
    given: Given, rng: np.random.Generator, what: str
) -> None:
    wavelength, flux = standard(rng)
    error = {"poisson": np.sqrt(flux) / 3, "percent": 0.01 * flux, "sky": np.full(130, 4.0)}[what]
    spectrum = given(samples.text((wavelength, flux, error)), "star.dat")
    assert spectrum.ivar is not None
    np.testing.assert_allclose(spectrum.ivar, error**-2, rtol=1e-3)


def test_lines_numbered_from_one_are_no_wavelengths(given: Given) -> None:
    count = np.arange(1, samples.PIXELS + 1)
    with pytest.raises(ReadError, match="the first counts the lines: name the columns"):
        given(samples.text((count, W, F)), "a.dat")
    named = given(samples.text((count, W, F), "pixel wavelength flux\n"), "a.dat")
    assert named.range[0] == pytest.approx(W[0])


@pytest.mark.parametrize("unit", ["cm-1", "1/cm", "um^-1", "GHz", "eV"])
def test_inverse_units_are_no_wavelengths(given: Given, unit: str) -> None:
    with pytest.raises(ReadError, match=f"its first axis is in {re.escape(unit)}"):
        given(samples.text((W, F), f"wave,flux\n{unit},Jy\n", ","), "a.csv")


@pytest.mark.parametrize(("low", "high"), [(-318, 308), (-9, -3), (8, 12)])
def test_wavelengths_of_no_spectrum_are_refused(given: Given, low: float, high: float) -> None:
    wavelength = 10.0 ** np.linspace(low, high, 300)
    rows = (f"{w:.6g} 1" for w in wavelength)
    with pytest.raises(ReadError, match="wavelengths must lie between 10 and"):
        given("\n".join(["wavelength flux", *rows]).encode(), "a.dat")


def test_fill_values_among_the_wavelengths_are_dropped(given: Given) -> None:
    wavelength = samples.LINEAR.copy()
    wavelength[-2:] = 9.96921e36, 1e30
    spectrum = given(samples.text((wavelength, F)), "a.dat")
    assert len(spectrum) == samples.PIXELS - 2
    assert "2 pixels without a usable wavelength" in " ".join(spectrum.warnings)


WAVELENGTH = np.linspace(4000.0, 7000.0, 2000)


@pytest.mark.parametrize("scale", [1e-17, 1.0, 1e6])
@pytest.mark.parametrize("factor", [0.05, 0.5, 1.0, 3.0])
def test_errors_of_about_the_scatter(rng: np.random.Generator, scale: float, factor: float) -> None:
    flux = scale * rng.normal(10.0, 1.0, 2000)
    assert is_error(flux, np.full(2000, factor * scale), WAVELENGTH)


@pytest.mark.parametrize("factor", [1e-6, 0.001, 30.0, 1e9, np.nan, np.inf])
def test_columns_of_another_size(rng: np.random.Generator, factor: float) -> None:
    assert not is_error(rng.normal(10.0, 1.0, 2000), np.full(2000, factor), WAVELENGTH)


def test_the_error_of_a_flat_narrow_window_is_not_the_flux_again(rng: np.random.Generator) -> None:
    wavelength = np.linspace(6500.0, 6600.0, 2000)
    flux = rng.normal(1.0, 0.01, 2000)
    assert is_error(flux, 0.01 * np.sqrt(flux), wavelength)
    assert not is_error(flux, flux * (WAVELENGTH / 6500.0) ** 2 / 30.0, WAVELENGTH)


def test_bad_pixels_and_few_pixels(rng: np.random.Generator) -> None:
    flux, error = rng.normal(10.0, 1.0, 2000), np.ones(2000)
    error[:400] = 0.0
    flux[500:600] = np.nan
    assert is_error(flux, error, WAVELENGTH)
    assert not is_error(flux, np.where(np.arange(2000) < 1500, 0.0, 1.0), WAVELENGTH)
    assert not is_error(flux[:5], error[-5:], WAVELENGTH[:5])
    assert not is_error(np.ones(2000), np.ones(2000), WAVELENGTH)


# Tables ruled with | and tables of fixed columns, as CDS, AAS, VizieR and IPAC give them.
CDS = """Title: Spectra of two stars
================================================================================
Byte-by-byte Description of file: table1.dat
--------------------------------------------------------------------------------
   Bytes Format Units     Label   Explanations
--------------------------------------------------------------------------------
   1-  9 F9.3   {unit:9} lambda  Wavelength
  11- 20 F10.4  mW/m2/nm  Flux    ? Flux of
                                   the star
  22- 28 F7.3   mW/m2/nm  e_Flux  ? Error of Flux
--------------------------------------------------------------------------------
{notes}"""
NOTES = """Note (1): nothing
--------------------------------------------------------------------------------
"""


def cds(bar: str = "|", unit: str = "0.1nm", notes: str = "") -> str:
    rows = (f"{w:9.3f}{bar}{f:10.4f}{bar}  2.000" for w, f in zip(W, F, strict=True))
    return CDS.format(unit=unit, notes=notes) + "\n".join(rows) + "\n"


@pytest.mark.parametrize("bar", ["|", " "])
@pytest.mark.parametrize("notes", ["", NOTES])
def test_a_table_described_byte_by_byte(given: Given, bar: str, notes: str) -> None:
    text = cds(bar, notes=notes)
    spectrum = given(text.encode(), "table1.dat")
    np.testing.assert_allclose(spectrum.wavelength, W, atol=1e-3)
    np.testing.assert_allclose(spectrum.flux, F, atol=1e-4)
    assert spectrum.flux_unit == "mW/m2/nm"
    assert spectrum.ivar[0] == 0.25
    theirs = astropy_ascii.get_reader(astropy_ascii.Cds).read(text.splitlines())
    np.testing.assert_array_equal(theirs["Flux"], spectrum.flux)


def test_the_unit_of_a_described_column_is_kept(given: Given) -> None:
    spectrum = given(cds(unit="nm").encode(), "a.dat")
    assert spectrum.range[0] == pytest.approx(10 * W[0], abs=0.1)


@pytest.mark.parametrize("outer", ["", "|"])
def test_a_table_ruled_as_by_vizier(given: Given, outer: str) -> None:
    rows = (f"{w:.3f}|{f:.4f}|" for w, f in zip(W, F, strict=True))
    head = ("#RESOURCE=1", "lambda|Flux|e_Flux", "0.1nm|mW/m2/nm|", "--------|------|---")
    lines = [line if line.startswith("#") else f"{outer}{line}{outer}" for line in (*head, *rows)]
    spectrum = given("\n".join(lines).encode(), "a.tsv")
    np.testing.assert_allclose(spectrum.wavelength, W, atol=1e-3)
    np.testing.assert_allclose(spectrum.flux, F, atol=1e-4)


def test_an_ipac_table(given: Given) -> None:
    rows = (f" {w:10.3f}  {f:9.4f}  " for w, f in zip(W / 10, F, strict=True))
    head = ("\\OBJECT = 'x'", "| wave      | flux      |", "| double    | double    |",
            "| nm        | Jy        |")  # fmt: skip
    text = "\n".join((*head, *rows))
    spectrum = given(text.encode(), "a.tbl")
    np.testing.assert_allclose(spectrum.wavelength, W, atol=1e-2)
    assert spectrum.flux_unit == "Jy"
    theirs = astropy_ascii.get_reader(astropy_ascii.Ipac).read(StringIO(text).readlines())
    np.testing.assert_array_equal(theirs["flux"], spectrum.flux)


def test_other_tables_stay_as_they_are() -> None:
    lines = ["# a | b", "4000 1", "4001 2"]
    assert with_tabs(lines) is lines
    assert with_tabs([]) == []


@pytest.mark.parametrize("lines", [
    ["Byte-by-byte Description of file: x"] * 900,
    ["Byte-by-byte Description of file: x", "-" * 90, " " * 90_000, "-" * 90],
    ["a|b", *("-+" * 40_000 + "x" for _ in range(4)), "-" * 90_000],
    ["|" * 90_000, " 1 2 3"],
    ["|a|b|", *(" 1  2" for _ in range(9))],
    ["Byte-by-byte Description of file: x", " 1- 99999 F9.3 --- a b", "-" * 90, "1" * 9],
], ids=["no columns", "blanks", "dashes", "bars", "short", "long column"])  # fmt: skip
def test_odd_tables_take_no_time(lines: list[str]) -> None:
    assert isinstance(with_tabs(lines), list)


def test_the_number_of_cells_is_limited(monkeypatch: pytest.MonkeyPatch, given: Given) -> None:
    monkeypatch.setattr(text_table, "MAX_CELLS", 100)
    with pytest.raises(ReadError, match="more than 100 cells"):
        given(cds().encode(), "a.dat")
