"""Keywords of the FITS table."""

from __future__ import annotations

from astropy.io import fits

from app.core.exporting import export
from tests.app.core.exporting.catalogues import CONTRACT, listed


def test_names_that_fits_would_not_tell_apart(session_path):
    out = session_path.with_suffix(".fits")
    columns = [
        {"name": name, "unit": unit} for name, unit in (("Hα", "Å"), ("Hβ", "µm"), ("h_", "°"))
    ]
    with listed(session_path, [{"own": {"Hα": 1.0, "Hβ": 2.0, "h_": 3.0}}], columns) as session:
        export(session, out, which="all")
    header = fits.getheader(out, 1)
    first = len(CONTRACT) + 1
    assert [header[f"TTYPE{first + n}"] for n in range(3)] == ["H", "H_2", "h_"]
    assert [header[f"TUNIT{first + n}"] for n in range(3)] == ["Angstrom", "um", "deg"]
    assert header[f"TCOMM{first}"] == "in the list: H%CE%B1"
    assert header["NCAND"] == 1
