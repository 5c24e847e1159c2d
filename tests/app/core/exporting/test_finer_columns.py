"""Sub-classes and own fields in catalogues of every format, with UCD and description."""

from __future__ import annotations

import json

import pytest
from astropy.io import fits
from astropy.table import Table

from app.core.exporting import export
from app.core.session.finer_values import field_values
from app.core.session.own_fields import OwnField, set_own_fields
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.app.core.exporting.catalogues import CONTRACT, FORMATS, listed, read_back, read_csv

FIELDS = (
    OwnField(name="quality", kind="choice", choices=("good", "poor"), title="Quality"),
    OwnField(name="ebv", kind="number", unit="mag"),
    OwnField(name="binary", kind="tick"),
    OwnField(name="row", kind="text"),  # the name of a column that every catalogue has
)
NAMES = ("subclass", "subclass_path", "quality", "ebv", "binary", "field_row")


def accepted(subclass="", **values):
    return Opinion(verdict=Verdict.ACCEPT, subclass=subclass, fields=field_values(values))


@pytest.fixture
def two(session_path):
    """1: both, DN of two kinds. 2: Ada alone. 3: nobody."""
    columns = [{"name": "subclass", "type": "str", "unit": "", "description": "", "ucd": ""}]
    rows = [{"own": {"subclass": "A1V"}} for _ in range(3)]
    with listed(session_path, rows, columns, reviewer="Ben") as ben:
        ben.record_verdict(1, accepted("DN/WZ Sge", quality="good", ebv=0.5))
    with open_session(session_path, "Ada") as session:
        set_own_fields(session, FIELDS)
        session.record_verdict(1, accepted("DN/DN outburst", quality="poor", ebv=0.5, binary=True))
        session.record_verdict(2, accepted("NL", row="=1+1"))
        yield session


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format(two, session_path, suffix):
    out = session_path.with_suffix(f".{suffix}")
    report = export(two, out, which="all")
    assert report.columns == (*CONTRACT, *NAMES, "subclass_list")
    if suffix == "csv":
        found = read_csv(out)
        assert found["subclass"] == ["DN", "NL", ""]
        assert found["ebv"] == ["0.5", "", ""]
        assert found["field_row"] == ["", "=1+1", ""]
        beside = json.loads(report.metadata.read_text())["tableSchema"]["columns"]
        about = next(each for each in beside if each["name"] == "ebv")
        assert about["schema:unit"] == "mag"
        assert about["dc:description"] == "ebv, filled in by the reviewer"
        return
    found = read_back(out)
    assert found["subclass"][:2] == ["DN", "NL"]
    assert found["subclass_path"][0] == "DN"  # as far as both agree
    assert found["quality"][0] in ("", None)  # they differ
    assert found["ebv"][0] == 0.5
    assert [bool(each) for each in found["binary"][:2]] == [True, False]


def test_one_persons_catalogue(two, session_path):
    export(two, session_path.with_suffix(".csv"), which="all", reviewer="Ada")
    found = read_csv(session_path.with_suffix(".csv"))
    assert found["subclass_path"] == ["DN/DN outburst", "NL", ""]
    assert found["quality"] == ["poor", "", ""]


def test_ucds(two, session_path):
    out = session_path.with_suffix(".vot")
    export(two, out, which="all")
    table = Table.read(out, format="votable")
    said = {name: (table[name].meta.get("ucd"), table[name].description) for name in NAMES}
    assert said["subclass"][0] == "meta.code.class"
    assert said["ebv"][0] == "stat.value"
    assert said["quality"] == ("meta.code", "Quality, filled in by the reviewer: good, poor")
    with fits.open(export(two, session_path.with_suffix(".fits"), which="all").path) as opened:
        assert {*NAMES} <= {each.lower() for each in opened[1].columns.names}


def test_a_session_with_neither_has_none_of_the_columns(session_path):
    with listed(session_path, [{}]) as session:
        session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT))
        report = export(session, session_path.with_suffix(".csv"), which="all")
    assert report.columns == tuple(CONTRACT)
