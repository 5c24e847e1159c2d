from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO

import pytest

from agent.votable.fields import VOTableError, VOTableField
from agent.votable.parser import MAX_PARAMS, BadRow, Row, VOTableParser
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


def test_columns_and_cells_come_as_they_are_written() -> None:
    parser, rows = parsed(table(rows_of(GOOD)))
    assert rows == [list(GOOD)]
    first, second = parser.fields[:2]
    assert (first.name, first.datatype, first.arraysize) == ("name", "char", "*")
    assert (first.ucd, second.unit) == ("meta.id;meta.main", "deg")
    assert second.description == "Where\n it is"
    assert parser.fields[3].null == "-99"


def test_a_row_with_other_cells_than_columns_or_a_long_one_is_bad() -> None:
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


def test_declared_rows_are_only_an_estimate() -> None:
    text = table(rows_of(GOOD)).replace("<TABLE>", '<TABLE nrows="99999999999">')
    parser, rows = parsed(text)
    assert (parser.expected_rows, len(rows)) == (99_999_999_999, 1)


def test_tables_inside_a_field_do_no_harm() -> None:
    field = '<FIELD name="a" datatype="int"><TABLE/><VALUES null="1"/>'
    text = field + "<DESCRIPTION>x<TABLE/></DESCRIPTION></FIELD>"
    assert parsed(table(rows_of(GOOD), before=f"<TABLE>{text}</TABLE>"))[1] == [list(GOOD)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
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
    ],
    ids=range(25),
)
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
