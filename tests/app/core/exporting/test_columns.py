"""Columns of a catalogue: names, units and descriptions."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest
from astropy.io import fits
from astropy.table import Table

from app.core.exporting import export
from tests.app.core.exporting.catalogues import CONTRACT, FORMATS, listed, read_back, read_csv


@pytest.mark.parametrize("suffix", FORMATS)
def test_units_names_and_words(session_path, suffix):
    columns = [
        {"name": "ra", "type": "float", "unit": "h", "description": "of old", "ucd": ""},
        {"name": "Comment", "type": "str", "unit": "", "description": "", "ucd": "meta.note"},
        {"name": "v", "type": "float", "unit": "km/s", "description": 'a < b & "c"', "ucd": "phot"},
        {"name": "W(Hα)", "type": "float", "unit": "Å", "description": "Weite in Å", "ucd": ""},
        {"name": "p", "type": "float", "unit": "", "description": "of the net", "ucd": ""},
    ]
    own = {"ra": 1.5, "Comment": "=x", "v": -3.25, "W(Hα)": 2.5}
    out = session_path.with_suffix(f".{suffix}")
    rows = [{"own": own, "score": 0.25, "ra": 10.0}]
    with listed(session_path, rows, columns, roles={"score": "p"}) as session:
        report = export(session, out, which="all")
    assert report.columns == (*CONTRACT, "p", "ra_list", "Comment_list", "v", "W(Hα)")
    assert report.renamed == {"ra": "ra_list", "Comment": "Comment_list"}
    if suffix == "csv":
        found = read_csv(out)
        assert found["v"] == ["-3.25"]
        assert out.read_text().splitlines()[1].endswith(",0.25,1.5,'=x,-3.25,2.5")
        beside = json.loads(report.metadata.read_text())["tableSchema"]["columns"]
        said = {each["name"]: each for each in beside}
        assert said["ra"]["schema:unit"] == "deg"
        assert said["p"]["dc:description"] == "of the net"
        return
    width = "W_H" if suffix == "fits" else "W(Hα)"
    found = read_back(out)
    assert [found[name][0] for name in ("ra", "ra_list", "Comment_list", "v", width, "p")] == [
        *(10.0, 1.5, "=x", -3.25, 2.5, 0.25)
    ]
    if suffix == "parquet":
        field = pq.read_schema(out).field("v")
        assert field.metadata[b"unit"] == b"km/s"
    table = Table.read(out, **({"format": "votable"} if suffix == "vot" else {}))
    assert str(table["ra"].unit) == "deg"
    assert str(table["v"].unit) == "km / s"
    if suffix == "fits":
        header = fits.getheader(out, 1)
        number = table.colnames.index(width) + 1
        assert header[f"TUNIT{number}"] == "Angstrom"
        assert header[f"TCOMM{number}"].endswith(
            "in the list: W%28H%CE%B1%29".replace("%28", "(").replace("%29", ")")
        )
        assert header["TUCD2"] == "pos.eq.ra;meta.main"
    else:
        assert table["v"].description == 'a < b & "c"'
        assert table["ra"].meta["ucd"] == "pos.eq.ra;meta.main"
