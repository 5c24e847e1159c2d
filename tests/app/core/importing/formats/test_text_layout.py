"""Delimiters, headers and line ends of text lists."""

from __future__ import annotations

import pytest

from app.core.errors import ImportFailed
from app.core.importing.formats.contents import MAX_COLUMNS
from app.core.importing.formats.text_layout import MAX_LINE
from tests.app.core.importing.formats.text_lists import names, opened, rows


@pytest.mark.parametrize(
    ("text", "format_"),
    [
        ("name,ra,dec\na,1,2\nb,3,4\n", "CSV"),
        ("name\tra\tdec\na, b\t1\t2\nb\t3\t4\n", "TSV"),
        ("name;ra;dec\na, b;1;2\nb;3;4\n", "text table"),
        ("name | ra | dec\na, b | 1 | 2\nb | 3 | 4\n", "text table"),
        ("name  ra   dec\na,_b  1  2\nb      3  4\n", "text table"),
    ],
)
def test_delimiters(folder, text, format_):
    file = opened(folder, text)
    assert file.format == format_
    assert names(file) == ["name", "ra", "dec"]
    assert [row[1:] for row in rows(file).values()] == [("1", "2"), ("3", "4")]


def test_decimal_commas_between_semicolons(folder):
    file = opened(folder, "name;ra;dec\na;10,5;-3,25\n")
    (block,) = file.blocks()
    assert [cells.numbers() for cells in block.cells[1:]] == [[10.5], [-3.25]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name,path\nx,x.fits\n", ["name", "path"]),
        ("x,x.fits\ny,y.fits\n", ["col1", "col2"]),
        ("J1234+56,12.5,3\nJ1,5,6\n", ["col1", "col2", "col3"]),
        ("12:30:00,+10:00:00\n12:30:01,+10:00:00\n", ["col1", "col2"]),
        ("spec-1.fits\nspec-2.fits\n", ["col1"]),
        ("filename\nspec-1.fits\n", ["filename"]),
        ("HD 1\nHD 2\n", ["col1", "col2"]),
        ("# made by hand\n# name path\nx,x.fits\ny,y.fits\n", ["name", "path"]),
        ("# name,path\nx,x.fits\n", ["name", "path"]),
        ("\n\n# a comment\nname,path\n# another\nx,x.fits\n", ["name", "path"]),
        ("a,a,,a\n1,2,3,4\n", ["a", "a_2", "col3", "a_3"]),
        ('"na""me","pa\tth"\nx,1\n', ['na"me', "pa?th"]),
    ],
)
def test_headers(folder, text, expected):
    assert names(opened(folder, text)) == expected


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(folder, end):
    file = opened(folder, end.join(["name,path", 'a,"1', '2"', "b,3"]) + end)
    assert rows(file) == {1: ("a", "1\n2"), 2: ("b", "3")}


def test_the_last_line_may_lack_its_end(folder):
    assert rows(opened(folder, "name,path\na,1\nb,2")) == {1: ("a", "1"), 2: ("b", "2")}


@pytest.mark.parametrize("line", ["# said before\n", "\n", "   \n"])
def test_a_long_preamble(folder, line):
    file = opened(folder, line * 100_000 + "name,path\na,1\nb,2\n")
    assert names(file) == ["name", "path"]
    assert rows(file) == {1: ("a", "1"), 2: ("b", "2")}


def test_a_header_without_bound(folder):
    with pytest.raises(ImportFailed, match="first line is longer than 1 MB"):
        opened(folder, "a," * MAX_LINE + "\n")
    with pytest.raises(ImportFailed, match=f"500,001 columns, more than {MAX_COLUMNS:,}"):
        opened(folder, "," * 500_000 + "\n")
