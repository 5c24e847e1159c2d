import base64
import struct
from collections.abc import Callable, Sequence
from io import BytesIO

import pytest

from agent.votable.parser import (
    MAX_PARAMS,
    BadRow,
    BinaryRows,
    Cell,
    Row,
    VOTableError,
    VOTableField,
    VOTableParser,
)
from tests.agent.votable.tables import BOMB, GOOD, HEAD, rows_of, stream, table

MAX_CELL = 1000
LONG = "a" * 101
MANY = " ".join(f'a{n}=""' for n in range(1200))


def parsed(
    text: str, accepts: Callable[[Sequence[VOTableField]], bool] = lambda _: True
) -> tuple[VOTableParser, list[Row]]:
    parser = VOTableParser(MAX_CELL, accepts)
    rows = [row for piece in parser.rows(BytesIO(text.encode()).read) for row in piece]
    return parser, rows


def test_cells_come_as_written_and_bad_rows_are_told() -> None:
    parser, rows = parsed(table(rows_of(GOOD)))
    assert rows == [list(GOOD)]
    first, second = parser.fields[:2]
    assert (first.name, first.datatype, first.arraysize) == ("name", "char", "*")
    assert (first.ucd, second.unit) == ("meta.id;meta.main", "deg")
    assert second.description == "Where\n it is"
    assert parser.fields[3].null == "-99"
    _, rows = parsed(table(rows_of(GOOD[:3], (*GOOD, "x"), ("x" * (MAX_CELL + 1), *GOOD[1:]))))
    assert rows == [
        BadRow("the row does not have 7 cells"),
        BadRow("the row does not have 7 cells"),
        BadRow("a cell has more than 1,000 characters"),
    ]


def test_the_first_table_with_accepted_fields_is_read() -> None:
    other = '<TABLE><FIELD name="x" datatype="int"/><DATA>{}</DATA></TABLE>'
    before = other.format(rows_of(("1",))) + other.format('<BINARY><STREAM href="x"/></BINARY>')
    text = table(rows_of(GOOD), before=before, behind=other.format(rows_of(("2",))))
    parser, rows = parsed(text, lambda fields: len(fields) > 1)
    assert (rows, len(parser.fields)) == ([list(GOOD)], 7)
    parser, rows = parsed(text, lambda fields: len(fields) > 7)
    assert (rows, parser.is_described) == ([], False)


def test_params_and_infos_up_to_the_end_of_the_table() -> None:
    before = '<INFO name="OBJECT" value=" HD 1 "/><INFO name="OBJECT" value="HD 2"/>'
    inside = '<PARAM ID="band" value="V"/>'
    parser, _ = parsed(table(rows_of(GOOD) + inside, before=before))
    assert parser.params == {"OBJECT": "HD 1", "band": "V"}
    many = "".join(f'<INFO name="{n}" value="1"/>' for n in range(MAX_PARAMS + 9))
    assert len(parsed(table(rows_of(GOOD), before=many))[0].params) == MAX_PARAMS


def test_declared_rows_are_an_estimate_and_tables_inside_a_field_do_no_harm() -> None:
    text = table(rows_of(GOOD)).replace("<TABLE>", '<TABLE nrows="99999999999">')
    parser, rows = parsed(text)
    assert (parser.expected_rows, len(rows)) == (99_999_999_999, 1)
    field = '<FIELD name="a" datatype="int"><TABLE/><VALUES null="1"/>'
    text = field + "<DESCRIPTION>x<TABLE/></DESCRIPTION></FIELD>"
    assert parsed(table(rows_of(GOOD), before=f"<TABLE>{text}</TABLE>"))[1] == [list(GOOD)]


@pytest.mark.parametrize(("text", "message"), [
    (table(rows_of(("&i;", *GOOD[1:])), doctype=BOMB), "DOCTYPE declares entities"),
    (
        table(rows_of(GOOD), doctype='<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),
        "DOCTYPE declares entities",
    ),
    (table(rows_of(("&undefined;", *GOOD[1:]))), "damaged VOTable: undefined entity"),
    (
        table('<BINARY><STREAM href="file:///etc/passwd"/></BINARY>'),
        r"in another file \(href\)",
    ),
    (table('<BINARY><STREAM encoding="gzip">x</STREAM></BINARY>'), "unsupported encoding"),
    (table("<FITS><STREAM/></FITS>"), "an embedded FITS file"),
    (table(rows_of(GOOD))[:-60], "damaged VOTable: unclosed token"),
    (table(rows_of(GOOD)).replace("</TR>", "</TD>"), "damaged VOTable: mismatched tag"),
    (table("<TABLEDATA/>", fields=""), "no columns"),
    (table("<TABLEDATA/>", fields='<FIELD datatype="int"/>' * 2001), "more than 2,000 columns"),
    (HEAD.format(doctype="") + "<RESOURCE>" * 100, "nested too deeply"),
    (HEAD.format(doctype="") + "<!--" + "x" * 3_000_000, "a tag of more than 1 MB"),
    (HEAD.format(doctype="") + '<TABLE a="' + "x" * 3_000_000, "a tag of more than 1 MB"),
    ('<?xml version="1.0" encoding="x-mad"?><VOTABLE/>', "damaged VOTable: unknown encoding"),
    (table(stream("AAAA")), "BINARY data are cut short"),
    (table(rows_of(GOOD), before=f"<x{LONG}/>"), "a name of more than 100 characters"),
    (table(rows_of(GOOD), before=f'<PARAM x{LONG}=""/>'), "a name of more than 100 char"),
    (table(rows_of(GOOD), before=f"<p:{LONG}/>"), "a name of more than 100 characters"),
    (table(rows_of(GOOD) + f"<x {LONG}=''/>"), "a name of more than 100 characters"),
    (table(rows_of(GOOD) + "".join(f"<x{n}/>" for n in range(1200))), "too many names"),
    (table(rows_of(GOOD) + f"<x {MANY}/>"), "too many names"),
    (table(rows_of(GOOD), before="<x/>" * 520_000), "500,000 elements without a row"),
    (table(f"<TABLEDATA>{'<x/>' * 520_000}</TABLEDATA>"), "500,000 elements without"),
    (table(rows_of(GOOD), before=f"{'<!-- -->' * 4_300_000}"), "500,000 elements without"),
    (table(stream("AAAA<x/>AAAA")), "elements among its BINARY data"),
], ids=range(25))  # fmt: skip
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(VOTableError, match=message):
        parsed(text)


def test_attributes_are_cut_when_they_arrive() -> None:
    field = f'<FIELD name="{"n" * 900_000}" datatype="int" arraysize="{"9x" * 9000}0"/>'
    text = table(rows_of(("1",)), fields=field, before=f'<PARAM name="p" value="{"v" * 90_000}"/>')
    parser, _ = parsed(text)
    (one,) = parser.fields
    assert (len(one.name), len(one.arraysize), len(parser.params["p"])) == (500, 500, 500)


def test_names_of_other_namespaces_and_their_elements_are_passed_over() -> None:
    many = "".join(
        f'<mivot:A{n} xmlns:mivot="http://x"><B{n % 9}/></mivot:A{n}>' for n in range(400)
    )
    assert parsed(table(rows_of(GOOD), before=many))[1] == [list(GOOD)]


FIELDS = (
    VOTableField("name", "char", "*"), VOTableField("n", "int"), VOTableField("bits", "bit", "12"),
    VOTableField("flux", "float", "2"),
)  # fmt: skip
FLUX = struct.pack(">2f", 1.5, -2)
ROW = b"\0\0\0\2HD" + struct.pack(">i", 7) + b"\xff\xf0" + FLUX


def decoded(content: bytes, piece: int, *, with_nulls: bool = False) -> list[list[Cell]]:
    text = base64.encodebytes(content).decode()
    binary = BinaryRows(FIELDS, with_nulls=with_nulls)
    pieces = [text[at : at + piece] for at in range(0, len(text), piece)]
    rows = [row for each in pieces for row in binary.rows(each)]
    binary.end()
    return rows


@pytest.mark.parametrize("piece", [1, 7, 1000])
def test_rows_are_complete_in_pieces_of_any_size(piece: int) -> None:
    row = [b"HD", b"\0\0\0\7", b"\xff\xf0", FLUX]
    assert decoded(ROW * 3, piece) == [row] * 3
    assert decoded((b"\x50" + ROW) * 2, piece, with_nulls=True) == [[b"HD", None, row[2], None]] * 2


@pytest.mark.parametrize(("field", "text", "message"), [
    (VOTableField("a", "int"), "!!!!", "damaged"),
    (VOTableField("a", "int"), "AAAA", "cut short"),
    (VOTableField("a", "char", "*"), "f////w==", "a cell of more than 16 MB"),
    (VOTableField("a", "char", "0"), "", "have no size"),
    (VOTableField("a", "x"), "", "unknown type"),
])  # fmt: skip
def test_damaged_streams_are_refused(field: VOTableField, text: str, message: str) -> None:
    with pytest.raises(VOTableError, match=message):
        binary = BinaryRows([field], with_nulls=False)
        list(binary.rows(text))
        binary.end()


@pytest.mark.parametrize("columns", [65, 2000])
def test_many_columns_without_size_are_refused(columns: int) -> None:
    """Rows of one byte would become lists of thousands of cells."""
    fields = [VOTableField("a", "int"), *[VOTableField("b", "char", "0")] * (columns * 4)]
    with pytest.raises(VOTableError, match="columns without size"):
        BinaryRows(fields, with_nulls=False)
    assert list(BinaryRows(fields[:100], with_nulls=False).rows("AAAAAQ==")) == [
        [b"\0\0\0\1", *[b""] * 99]
    ]


@pytest.mark.parametrize(("datatype", "arraysize", "is_array", "count"), [
    ("double", "", False, 1), ("double", "1", False, 1), ("double", "3x4", True, 12),
    ("double", "*", True, None), ("char", "8", False, 8), ("char", "*", False, None),
    ("unicodeChar", "8x3", True, 24), ("float", "8x*", True, None),
    ("float", "1x1x1x1x1x1x1x9", True, 9),
])  # fmt: skip
def test_sizes_of_cells(datatype: str, arraysize: str, is_array: bool, count: int | None) -> None:
    field = VOTableField("a", datatype, arraysize)
    field.check()
    assert (field.is_array, field.count) == (is_array, count)


def test_bytes_of_nine_elements() -> None:
    sizes = {"bit": 2, "boolean": 9, "unicodeChar": 18, "doubleComplex": 144}
    assert {name: VOTableField("a", name).bytes_of(9) for name in sizes} == sizes


@pytest.mark.parametrize(("datatype", "arraysize", "message"), [
    ("x", "", "'a' has an unknown type"),
    ("int", "-1", "'a' has an invalid arraysize"),
    ("int", "9x" * 8 + "0", "'a' has an invalid arraysize"),
    ("int", "9x" * 9 + "*", "'a' has an invalid arraysize"),
    ("int", "999999999x9", "declares 8,999,999,991 elements per cell"),
])  # fmt: skip
def test_invalid_columns_are_refused(datatype: str, arraysize: str, message: str) -> None:
    with pytest.raises(VOTableError, match=message):
        VOTableField("a", datatype, arraysize).check()
