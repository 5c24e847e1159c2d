"""Tables ruled with | and tables of fixed columns, as CDS, AAS, VizieR and IPAC give them."""

from io import StringIO

import numpy as np
import pytest
from astropy.io import ascii as astropy_ascii

from agent.errors import ReadError
from agent.spectra.readers import ruled_text
from agent.spectra.readers.ruled_text import with_tabs
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples

W, F = samples.WAVELENGTH, samples.FLUX

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
    assert spectrum.ivar is not None
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


@pytest.mark.parametrize(
    "lines",
    [
        ["Byte-by-byte Description of file: x"] * 900,
        ["Byte-by-byte Description of file: x", "-" * 90, " " * 90_000, "-" * 90],
        ["a|b", *("-+" * 40_000 + "x" for _ in range(4)), "-" * 90_000],
        ["|" * 90_000, " 1 2 3"],
        ["|a|b|", *(" 1  2" for _ in range(9))],
        ["Byte-by-byte Description of file: x", " 1- 99999 F9.3 --- a b", "-" * 90, "1" * 9],
    ],
    ids=["no columns", "blanks", "dashes", "bars", "short", "long column"],
)
def test_odd_tables_take_no_time(lines: list[str]) -> None:
    assert isinstance(with_tabs(lines), list)


def test_the_number_of_cells_is_limited(monkeypatch: pytest.MonkeyPatch, given: Given) -> None:
    monkeypatch.setattr(ruled_text, "MAX_CELLS", 100)
    with pytest.raises(ReadError, match="more than 100 cells"):
        given(cds().encode(), "a.dat")
