"""VOTables as archives write them, and as somebody with bad intentions would."""

from __future__ import annotations

import base64
import struct

import pytest

from app.core.importing.errors import ImportFailed
from app.core.importing.formats import votable_parser
from app.core.importing.formats.contents import MAX_CELL
from app.core.importing.formats.formats import open_list
from app.core.importing.importer import import_list
from tests.app.core.importing.lists import every, refusals

HEAD = '<?xml version="1.0"?>{doctype}\n<VOTABLE version="1.4"><RESOURCE>'
FIELDS = """<FIELD name="name" datatype="char" arraysize="*" ucd="meta.id;meta.main"/>
<FIELD name="ra" datatype="double" unit="deg"><DESCRIPTION>Where
 it is</DESCRIPTION></FIELD><FIELD name="dec" datatype="double"/>
<FIELD name="n" datatype="int"><VALUES null="-99"/></FIELD>
<FIELD name="mags" datatype="float" arraysize="5"/>
<FIELD name="mag" datatype="float"/><FIELD name="ok" datatype="boolean"/>"""


def table(data, fields=FIELDS, doctype="", before="", behind=""):
    text = f"{HEAD.format(doctype=doctype)}{before}<TABLE>{fields}<DATA>{data}</DATA></TABLE>"
    return f"{text}{behind}</RESOURCE></VOTABLE>"


def rows_of(*rows):
    lines = ("".join(f"<TD>{cell}</TD>" for cell in row) for row in rows)
    return "<TABLEDATA>" + "".join(f"<TR>{line}</TR>" for line in lines) + "</TABLEDATA>"


GOOD = ("a", "1.5", "-2", "-99", "1 2 3 4 5", "17.1", "T")
LAST = ("b &amp; c", "", "NaN", "0x1F", "", "", "")


def opened(folder, text):
    path = folder / "list.xml"
    path.write_text(text)
    return open_list(path)


def values(file):
    return [
        list(zip(*(cells.values() for cells in block.cells), strict=True))
        for block in file.blocks()
        if block.lines
    ]


def packed(*rows, nulls=b""):
    def text(word):
        return struct.pack(">i", len(word)) + word

    body = b"".join(
        nulls + text(name) + struct.pack(">ddi5fB", ra, dec, n, *mags, 0)[:-1]
        + struct.pack(">f", mag) + ok
        for name, ra, dec, n, mags, mag, ok in rows
    )  # fmt: skip
    return base64.encodebytes(body).decode()


def test_values_of_tabledata(folder):
    file = opened(folder, table(rows_of(GOOD, LAST)))
    assert [c.name for c in file.columns] == ["name", "ra", "dec", "n", "mag", "ok"]
    assert values(file) == [
        [("a", 1.5, -2.0, None, 17.1, True), ("b & c", None, None, 31, None, None)]
    ]
    assert file.columns[1].description == "Where it is"
    assert (file.columns[0].ucd, file.columns[1].unit) == ("meta.id;meta.main", "deg")
    assert file.warnings() == ["left out: 1 column of arrays"]


@pytest.mark.parametrize("kind", ["BINARY", "BINARY2"])
@pytest.mark.parametrize("piece", [7, 65536])
def test_values_of_binary(folder, monkeypatch, kind, piece):
    monkeypatch.setattr(votable_parser, "PIECE", piece)
    nulls = b"\x08" if kind == "BINARY2" else b""  # of the fifth column, which is left out
    rows = [
        (b"a", 1.5, -2.0, -99, (1, 2, 3, 4, 5), 17.1, b"T"),
        ("Hα".encode(), float("nan"), 1e300, 7, (0,) * 5, float("nan"), b"?"),
    ]
    data = f'<{kind}><STREAM encoding="base64">{packed(*rows, nulls=nulls)}</STREAM></{kind}>'
    file = opened(folder, table(data))
    assert [row for block in values(file) for row in block] == [
        ("a", 1.5, -2.0, None, 17.1, True),
        ("Hα", None, 1e300, 7, None, None),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings(folder, encoding):
    text = table(rows_of(("Hα 宽", *GOOD[1:])))
    path = folder / "list.xml"
    path.write_text(text, encoding=encoding)
    (row,) = values(open_list(path))[0]
    assert row[0] == "Hα 宽"


def test_rows_that_cannot_be_used_are_refused(session, folder):
    text = table(rows_of(GOOD, GOOD[:3], (*GOOD, "x"), ("x" * (MAX_CELL + 1), *GOOD[1:]), LAST))
    (folder / "list.vot").write_text(text)
    report = import_list(session, folder / "list.vot")
    assert [each.line for each in every(session)] == [1, 5]
    assert [line for line, _ in refusals(session)] == [2, 3, 4]
    assert report.rows_refused == 3


def test_only_the_first_table_with_rows_counts(folder):
    first = '<TABLE><FIELD name="x" datatype="int"/></TABLE>'
    last = '<TABLE><FIELD name="y" datatype="int"/><DATA><TABLEDATA/></DATA></TABLE>'
    file = opened(folder, table(rows_of(GOOD), before=first, behind=last))
    assert file.columns[0].name == "name"
    assert len(values(file)) == 1


def test_a_doctype_that_only_names_a_dtd_is_passed_over(folder):
    doctype = '<!DOCTYPE VOTABLE SYSTEM "http://us-vo.org/xml/VOTable.dtd">'
    assert len(values(opened(folder, table(rows_of(GOOD), doctype=doctype)))) == 1


ENTITIES = zip("bcdefghi", "abcdefgh", strict=True)
MULTIPLIED = "".join(f'<!ENTITY {one} "{f"&{other};" * 10}">' for one, other in ENTITIES)
BOMB = f'<!DOCTYPE VOTABLE [<!ENTITY a "0123456789">{MULTIPLIED}]>'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (table(rows_of(("&i;", *GOOD[1:])), doctype=BOMB), "DOCTYPE declares things of its own"),
        (
            table(rows_of(GOOD), doctype='<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),
            "DOCTYPE declares things of its own",
        ),
        (table(rows_of(("&undefined;", *GOOD[1:]))), "damaged VOTable: undefined entity"),
        (
            table('<BINARY><STREAM href="file:///etc/passwd"/></BINARY>'),
            r"rows lie elsewhere \(href\)",
        ),
        (table('<BINARY><STREAM encoding="gzip">x</STREAM></BINARY>'), "packed in a way"),
        (table("<FITS><STREAM/></FITS>"), "a FITS file inside"),
        (table('<BINARY><STREAM encoding="base64">!!!!</STREAM></BINARY>'), "damaged"),
        (table('<BINARY><STREAM encoding="base64">AAAA</STREAM></BINARY>'), "cut short"),
        (
            table('<BINARY><STREAM encoding="base64">f////w==</STREAM></BINARY>'),
            "a cell of more than 16 MB",
        ),
        (table(rows_of(GOOD))[:-60], "damaged VOTable: unclosed token"),
        (table(rows_of(GOOD)).replace("</TR>", "</TD>"), "damaged VOTable: mismatched tag"),
        (table("<TABLEDATA/>", fields=""), "no columns"),
        (table("<TABLEDATA/>", fields='<FIELD datatype="x"/>'), "unknown type"),
        (
            table("<TABLEDATA/>", fields='<FIELD datatype="int" arraysize="-1"/>'),
            "faulty arraysize",
        ),
        (
            table("<TABLEDATA/>", fields='<FIELD datatype="int" arraysize="999999999x9"/>'),
            "declares 8,999,999,991 elements",
        ),
        (
            table(
                "<BINARY><STREAM/></BINARY>",
                fields='<FIELD name="a" datatype="char" arraysize="0"/>',
            ),
            "have no size",
        ),
        (table("<TABLEDATA/>", fields='<FIELD datatype="int"/>' * 2001), "more than 2,000 columns"),
        (HEAD.format(doctype="") + "<RESOURCE>" * 100, "nested too deeply"),
        (HEAD.format(doctype="") + "<!--" + "x" * 3_000_000, "a tag of more than 1 MB"),
        (HEAD.format(doctype="") + '<TABLE a="' + "x" * 3_000_000, "a tag of more than 1 MB"),
        (HEAD.format(doctype="") + "</RESOURCE></VOTABLE>", "no table with rows"),
        ("<VOTABLE encoding='x", "damaged"),
        ('<?xml version="1.0" encoding="x-mad"?><VOTABLE/>', "damaged VOTable: unknown encoding"),
        ("<html><body>Please log in</body></html>", "no VOTable: fetch the list again"),
    ],
    ids=range(24),
)  # fmt: skip
def test_what_is_refused(session, folder, text, said):
    (folder / "list.vot").write_text(text)
    with pytest.raises(ImportFailed, match=said):
        import_list(session, folder / "list.vot")
    assert session.count() == 0


def test_no_rows_at_all(session, folder):
    (folder / "list.vot").write_text(table("<TABLEDATA/>"))
    with pytest.raises(ImportFailed, match="no rows"):
        import_list(session, folder / "list.vot")
