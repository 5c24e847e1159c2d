"""Lists in VOTables: values, rows that are refused, files that are refused."""

import base64
import struct

import pytest

from agent.votable import parser
from app.core.errors import ImportFailed
from app.core.importing.formats.contents import MAX_CELL
from tests.agent.votable.tables import BOMB, GOOD, HEAD, LAST, packed, rows_of, stream, table
from tests.app.core.importing.lists import every, import_text, opened, refusals, values


def test_values_of_tabledata(folder):
    file = opened(folder, table(rows_of(GOOD, LAST)))
    assert [c.name for c in file.columns] == ["name", "ra", "dec", "n", "mag", "ok"]
    assert values(file) == [
        ("a", 1.5, -2.0, None, 17.1, True), ("b & c", None, None, 31, None, None),
    ]  # fmt: skip
    assert file.columns[1].description == "Where it is"
    assert (file.columns[0].ucd, file.columns[1].unit) == ("meta.id;meta.main", "deg")
    assert file.warnings() == ["skipped 1 array column"]


@pytest.mark.parametrize("kind", ["BINARY", "BINARY2"])
@pytest.mark.parametrize("piece", [7, 65536])
def test_values_of_binary(folder, monkeypatch, kind, piece):
    monkeypatch.setattr(parser, "PIECE", piece)
    nulls = b"\x08" if kind == "BINARY2" else b""  # of the fifth column, which is left out
    rows = [
        (b"a", 1.5, -2.0, -99, (1, 2, 3, 4, 5), 17.1, b"T"),
        ("Hα".encode(), float("nan"), 1e300, 7, (0,) * 5, float("nan"), b"?"),
    ]
    file = opened(folder, table(stream(packed(*rows, nulls=nulls), kind)))
    assert values(file) == [
        ("a", 1.5, -2.0, None, 17.1, True),
        ("Hα", None, 1e300, 7, None, None),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings(folder, encoding):
    text = table(rows_of(("Hα 宽", *GOOD[1:])))
    (row,) = values(opened(folder, text.encode(encoding)))
    assert row[0] == "Hα 宽"


def test_rows_that_cannot_be_used_are_refused(session, folder):
    text = table(rows_of(GOOD, GOOD[:3], (*GOOD, "x"), ("x" * (MAX_CELL + 1), *GOOD[1:]), LAST))
    report = import_text(session, folder, text, "list.vot")
    assert [each.line for each in every(session)] == [1, 5]
    assert [line for line, _ in refusals(session)] == [2, 3, 4]
    assert report.rows_refused == 3


@pytest.mark.parametrize("kind", ["TABLEDATA", "BINARY"])
def test_a_row_of_more_than_one_mb_is_refused(folder, kind):
    fields = '<FIELD name="a" datatype="char" arraysize="*"/>' * 40
    big, small = ("x" * 30_000,) * 40, ("y",) * 40
    data = rows_of(small, big, small)
    if kind == "BINARY":
        cells = (cell.encode() for row in (small, big, small) for cell in row)
        raw = b"".join(struct.pack(">i", len(cell)) + cell for cell in cells)
        data = stream(base64.encodebytes(raw).decode())
    blocks = list(opened(folder, table(data, fields=fields)).blocks())
    assert [line for block in blocks for line in block.lines] == [1, 3]
    (refused,) = [row for block in blocks for row in block.refused]
    assert (refused.line, refused.reason) == (2, "it is longer than 1 MB")


def test_only_the_first_table_with_rows_counts(folder):
    first = '<TABLE><FIELD name="x" datatype="int"/></TABLE>'
    last = '<TABLE><FIELD name="y" datatype="int"/><DATA><TABLEDATA/></DATA></TABLE>'
    file = opened(folder, table(rows_of(GOOD), before=first, behind=last))
    assert file.columns[0].name == "name"
    assert len(values(file)) == 1


def test_a_doctype_that_only_names_a_dtd_is_passed_over(folder):
    doctype = '<!DOCTYPE VOTABLE SYSTEM "http://us-vo.org/xml/VOTable.dtd">'
    assert len(values(opened(folder, table(rows_of(GOOD), doctype=doctype)))) == 1


@pytest.mark.parametrize(("text", "said"), [
    (table(rows_of(("&i;", *GOOD[1:])), doctype=BOMB), "DOCTYPE declares entities"),
    (table('<BINARY><STREAM href="file:///etc/passwd"/></BINARY>'), r"\(href\)"),
    (table(rows_of(GOOD))[:-60], "damaged VOTable: unclosed token"),
    (table("<TABLEDATA/>", fields=""), "no columns"),
    (table("<TABLEDATA/>", fields='<FIELD datatype="x"/>'), "unknown type"),
    (table("<TABLEDATA/>", fields='<FIELD datatype="int" arraysize="-1"/>'), "invalid arraysize"),
    (table("<TABLEDATA/>", fields='<FIELD datatype="int" arraysize="999999999x9"/>'),
     "declares 8,999,999,991 elements"),
    (table("<TABLEDATA/>", fields='<FIELD datatype="floatComplex"/>'), "no columns of single"),
    (HEAD.format(doctype="") + "</RESOURCE></VOTABLE>", "no table with rows"),
    ("<VOTABLE encoding='x", "damaged"),
    ("<html><body>Please log in</body></html>", "not a VOTable: download the list again"),
], ids=range(11))  # fmt: skip
def test_what_is_refused(session, folder, text, said):
    with pytest.raises(ImportFailed, match=said):
        import_text(session, folder, text, "list.vot")
    assert session.count() == 0


def test_no_rows_at_all(session, folder):
    with pytest.raises(ImportFailed, match="no rows"):
        import_text(session, folder, table("<TABLEDATA/>"), "list.vot")
