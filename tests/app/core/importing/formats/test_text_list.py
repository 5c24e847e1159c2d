"""CSV and its relatives as people write them: encodings, delimiters, headers, broken rows."""

import csv
import io
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import ImportFailed
from app.core.importing.formats.cell_numbers import number_of
from app.core.importing.formats.contents import MAX_CELL, MAX_COLUMNS
from app.core.importing.formats.text_cells import CellMismatch, KindGuess, TextCells
from app.core.importing.formats.text_list import MAX_LINE, MAX_RECORD_LINES, RowReader, TextList
from tests.app.core.importing.lists import opened
from tests.app.core.importing.lists import texts_of as rows


def test_comments_and_blank_lines_are_no_rows_and_name_no_columns(folder):
    file = opened(folder, "name,path\na,1\n\n#b,2\n   \nc,3\n")
    assert rows(file) == {1: ("a", "1"), 2: ("c", "3")}
    assert file.warnings() == ["skipped 1 line beginning with #"]
    file = opened(folder, "1.5,2\n#bad,seeing\n2.5,3\n")
    assert names(file) == ["col1", "col2"]
    assert rows(file) == {1: ("1.5", "2"), 2: ("2.5", "3")}


def test_names_in_a_comment_below_very_many_others(folder):
    body = "1.5 2\n#a note\n2.5 3 4\n" + "3.5 4\n" * 8
    file = opened(folder, "#\n" * 500_000 + "# star mass\n\n" + body)
    assert names(file) == ["star", "mass"]
    blocks = list(file.blocks())
    assert [line for block in blocks for line in block.lines] == [1, *range(3, 11)]
    (refused,) = [row for block in blocks for row in block.refused]
    assert (refused.line, refused.reason[:28]) == (2, "line 500,005 of the file: 3 ")
    assert file.warnings() == ["skipped 1 line beginning with #"]


@pytest.mark.parametrize("noise", ["#\n", "\n", " \t \n", "#\n\n"])
def test_millions_of_comments_or_blank_lines_among_the_rows(folder, noise):
    count = 400_000
    file = opened(folder, f"name,path\na,b\n{noise * count}c,d\n{noise * count}e\n")
    blocks = list(file.blocks())
    assert [line for block in blocks for line in block.lines] == [1, 2]
    (refused,) = [row for block in blocks for row in block.refused]
    line = 4 + 2 * count * noise.count("\n")
    assert refused.reason == f"line {line:,} of the file: 1 cell instead of 2"
    assert file.warnings() == (["skipped 800,000 lines beginning with #"] if "#" in noise else [])


def test_formulas_stay_what_they_are_and_rows_are_estimated(folder):
    cells = ("=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3")
    file = opened(folder, "name,a,b,c\n" + ",".join(cells) + "\n")
    assert rows(file)[1] == cells
    lines = [f"star{n:06d},{n:06d}.fits" for n in range(50_000)]
    file = opened(folder, "\n".join(["name,path", *lines]))
    assert file.estimate == pytest.approx(50_000, rel=0.02)


@given(raw=st.binary(max_size=400))
def test_any_bytes_are_a_list_or_a_clear_error(tmp_path_factory, raw):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(b"name,path\n" + raw)
    try:
        file = TextList(path, None)
        for block in file.blocks():
            assert {len(cells.texts()) for cells in block.cells} == {len(block.lines)}
    except ImportFailed as error:
        assert "\n" not in str(error)


def names(file):
    return [column.name for column in file.columns]


# Encodings of text lists.
ENCODINGS = {
    "utf-8": "Hα,中文,é", "utf-8-sig": "Hα,中文,é", "utf-16": "Hα,中文,é", "utf-16-be": "Hα,中文,é",
    "cp1252": "Véron,Gliese’s,±3", "latin-1": "Véron,São,±3",
    "gb18030": "双星系统,候选体,河北省兴隆",
}  # fmt: skip


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_encodings(folder, encoding):
    text = ENCODINGS[encoding]
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    file = opened(folder, f"{mark}name,note,score\r\n{text}\r\n".encode(encoding))
    assert names(file) == ["name", "note", "score"]
    assert list(rows(file).values()) == [tuple(text.split(","))]
    is_guessed = encoding in ("cp1252", "latin-1", "gb18030")
    assert bool(file.warnings()) is is_guessed


def test_strange_bytes_far_down_or_cut_from_utf16_are_read(folder):
    lines = [b"name,path", *(b"star%d,%d.fits" % (n, n) for n in range(20_000))]
    lines[15_000] = "Véron,x.fits".encode("latin-1")
    lines[15_001] = "Hα,y.fits".encode()
    file = opened(folder, b"\n".join(lines))
    found = rows(file)
    assert found[15_000] == ("Véron", "x.fits")
    assert found[15_001] == ("Hα", "y.fits")
    assert file.warnings() == ["1 line not in UTF-8, read as Windows-1252 (Western European)"]
    file = opened(folder, "name,path\nα,a.fits\n".encode("utf-16") + b"\x61")
    assert rows(file)[1] == ("α", "a.fits")


# Delimiters, headers and line ends of text lists.
@pytest.mark.parametrize(("text", "format_"), [
    ("name,ra,dec\na,1,2\nb,3,4\n", "CSV"),
    ("name\tra\tdec\na, b\t1\t2\nb\t3\t4\n", "TSV"),
    ("name;ra;dec\na, b;1;2\nb;3;4\n", "text table"),
    ("name | ra | dec\na, b | 1 | 2\nb | 3 | 4\n", "text table"),
    ("name  ra   dec\na,_b  1  2\nb      3  4\n", "text table"),
])  # fmt: skip
def test_delimiters(folder, text, format_):
    file = opened(folder, text)
    assert file.format == format_
    assert names(file) == ["name", "ra", "dec"]
    assert [row[1:] for row in rows(file).values()] == [("1", "2"), ("3", "4")]


@pytest.mark.parametrize(("text", "expected"), [
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
    (";;;\nname,path\nx,x.fits\ny,y.fits\n", ["name", "path"]),
    (',"",\n;;\nname;path;z\nx;x.fits;1\n', ["name", "path", "z"]),
])  # fmt: skip
def test_headers(folder, text, expected):
    assert names(opened(folder, text)) == expected


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(folder, end):
    file = opened(folder, end.join(["name,path", 'a,"1', '2"', "b,3"]) + end)
    assert rows(file) == {1: ("a", "1\n2"), 2: ("b", "3")}


def test_the_last_line_may_lack_its_end_and_commas_be_decimal(folder):
    assert rows(opened(folder, "name,path\na,1\nb,2")) == {1: ("a", "1"), 2: ("b", "2")}
    (block,) = opened(folder, "name;ra;dec\na;10,5;-3,25\n").blocks()
    assert [cells.numbers() for cells in block.cells[1:]] == [[10.5], [-3.25]]


@pytest.mark.parametrize("line", ["# said before\n", "\n", "   \n"])
def test_a_long_preamble(folder, line):
    file = opened(folder, line * 100_000 + "name,path\na,1\nb,2\n")
    assert names(file) == ["name", "path"]
    assert rows(file) == {1: ("a", "1"), 2: ("b", "2")}


# Rows of text lists, regular and damaged.
def refused(file):
    return {row.line: row.reason for block in file.blocks() for row in block.refused}


def test_rows_of_another_length_or_with_a_forgotten_quote_are_refused(folder):
    file = opened(folder, "name,path,n\na,1,1\nb,2\n\nc,3,3,4\nd,4,4,\ne,5,5\n")
    assert rows(file) == {1: ("a", "1", "1"), 4: ("d", "4", "4"), 5: ("e", "5", "5")}
    assert refused(file) == {
        2: "line 3 of the file: 2 cells instead of 3",
        3: "line 5 of the file: 4 cells instead of 3",
    }
    lines = ["name,path", "a,1", '"b,2', *(f"c{n},{n}" for n in range(5000))]
    file = opened(folder, "\n".join(lines) + "\n")
    assert len(rows(file)) == 5001
    assert refused(file) == {2: "line 3 of the file: a quote is not closed"}
    file = opened(folder, 'name,path\n"a,1\nb,2\nc,"3"\nd,4\n')
    assert set(rows(file).values()) == {("b", "2"), ("c", "3"), ("d", "4")}
    assert list(refused(file)) == [1]


def test_a_quoted_cell_of_several_lines_over_the_end_of_a_block(folder):
    note = "\n".join(["a line, and more"] * (MAX_RECORD_LINES - 1))
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["name", "note"])
    writer.writerows((f"o{n}", note) for n in range(1000))
    file = opened(folder, out.getvalue())
    found = rows(file)
    assert len(found) == 1000
    assert {row[1] for row in found.values()} == {note}
    assert refused(file) == {}


def test_cells_lines_and_headers_without_bound_and_nul_bytes_are_refused(folder):
    big, huge = "x" * (MAX_CELL + 1), "y" * (MAX_LINE + 200_000)
    file = opened(folder, f"name,path\na,{big}\nb,2\n{huge},3\nc,{'z' * MAX_CELL}\n")
    assert [row[0] for row in rows(file).values()] == ["b", "c"]
    said = refused(file)
    assert "a cell of 32,768 characters" in said[1]
    assert said[3] == "line 4 of the file: it is longer than 1 MB"
    with pytest.raises(ImportFailed, match="first line is longer than 1 MB"):
        opened(folder, "a," * MAX_LINE + "\n")
    with pytest.raises(ImportFailed, match=f"500,001 columns, more than {MAX_COLUMNS:,}"):
        opened(folder, "," * 500_000 + "\n")
    file = opened(folder, b"name,path\na,1\nb\0b,2\nc,3\n" + b"d,4\n" * 100)
    assert refused(file) == {2: "line 3 of the file: it contains a NUL byte"}
    assert len(rows(file)) == 102


CELLS = st.text(
    st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=12
).map(str.strip)


@given(
    table=st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=30),
    mark=st.sampled_from(",;|\t"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    size=st.integers(1, 400),
)
def test_rows_come_back_however_they_are_cut_into_blocks(table, mark, quoting, size):
    """What csv writes is read again, whole lines at a time."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=mark, quoting=quoting, lineterminator="\n")
    # A name first, so that no line is a comment or blank.
    writer.writerows([f"o{n}", *cells] for n, cells in enumerate(table))
    reader = RowReader(mark, 4, 0)
    lines = [line + "\n" for line in out.getvalue().split("\n")[:-1]]
    found, told = [], []
    while lines:
        piece = ""
        while lines and len(piece) < size:
            piece += lines.pop(0)
        got = reader.read(piece)
        found += zip(*got.columns, strict=True)
        told += got.refused
    got = reader.read("", is_last=True)
    found += zip(*got.columns, strict=True)
    assert told + got.refused == []
    assert [list(row) for row in found] == [[f"o{n}", *cells] for n, cells in enumerate(table)]


@given(
    lines=st.lists(st.text(alphabet="ab,# \t", max_size=8), max_size=40),
    width=st.integers(1, 4),
    data=st.data(),
)
def test_regular_or_not_every_line_is_judged_by_itself(lines, width, data):
    """Against each line cut up on its own."""
    expected, bad = [], []
    kept = [line for line in lines if line.strip() and not line.startswith("#")]
    for number, line in enumerate(kept, 1):
        cells = line.split(",")
        if len(cells) < width or any(cells[width:]):
            bad.append(number)
        else:
            expected.append((number, *(cell.strip() for cell in cells[:width])))
    reader, found, refused = RowReader(",", width, 0), [], []
    while lines:
        count = data.draw(st.integers(1, len(lines)))
        got = reader.read("".join(line + "\n" for line in lines[:count]))
        found += zip(got.lines, *got.columns, strict=True)
        refused += [row.line for row in got.refused]
        del lines[:count]
    assert (found, refused) == (expected, bad)


# What kind a column of text is, and its values as JSON.
def kind_of(*texts):
    guess = KindGuess()
    guess.add(list(texts))
    return guess.kind


def read(texts, kind):
    return [json.loads(piece) for piece in TextCells(list(texts), kind).json()]


@pytest.mark.parametrize(("texts", "kind"), [
    (["1", "-2", "0"], "int"), (["1", "", "nan", "--", "NULL"], "int"),
    (["1", "2.5", "1e5"], "float"), ([".5", "+1", "1.", "1e400", "inf"], "float"),
    (["True", "false", ""], "bool"), (["True", "1"], "str"), (["007", "1"], "str"),
    (["1_000", "2"], "str"), (["1", "x"], "str"), (["1\n2", "3"], "str"), (["0x10", "1"], "str"),
    (["9007199254740993", "1"], "int"), (["9007199254740993", "1.5"], "str"),
    (["9223372036854775808"], "str"), (["", "n/a"], None), (["", "a"], "str"),
])  # fmt: skip
def test_kinds(texts, kind):
    assert kind_of(*texts) == kind
    if kind is not None:
        assert read(texts, kind)  # and none is a misfit


def test_kinds_widen_over_blocks_and_some_cells_have_no_value():
    guess = KindGuess()
    for text, kind in (("", None), ("3", "int"), ("3.5", "float"), ("", "float"), ("x", "str")):
        guess.add([text])
        assert guess.kind == kind
    assert read(["1", "NaN", "", "1e999"], "float") == [1.0, None, None, None]
    assert read(["1", "null", "-"], "int") == [1, None, None]
    assert read(["", "N/A"], None) == [None, None]
    assert read(["", "N/A", 'a"\\\n\x01'], "str") == ["", "N/A", 'a"\\\n\x01']
    assert TextCells(["101008.0", "5.25"], "float").texts() == ["101008", "5.25"]
    assert TextCells(["v1.0"], "str").texts() == ["v1.0"]
    assert TextCells(["1,5", "-2", "1,2,3", "1_0"], "str").numbers() == [1.5, -2.0, None, None]


@pytest.mark.parametrize(
    ("text", "kind"), [("x", None), ("x", "int"), ("1.5", "int"), ("x", "float"), ("1", "bool")]
)
def test_a_misfit_is_noticed(text, kind):
    with pytest.raises(CellMismatch):
        TextCells([text], kind).json()


@given(st.lists(st.integers(-(2**63) + 1, 2**63 - 1), min_size=1))
def test_whole_numbers_come_back(numbers):
    texts = list(map(str, numbers))
    assert kind_of(*texts) == "int"
    assert read(texts, "int") == numbers


@given(st.lists(st.floats(), min_size=1))
def test_numbers_come_back(numbers):
    texts = list(map(repr, numbers))
    finite = [number if math.isfinite(number) else None for number in numbers]
    assert read(texts, "float") == finite
    assert TextCells(texts, "float").numbers() == finite


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_texts_come_back(texts):
    assert read(texts, "str") == texts


@given(st.lists(st.text(alphabet="0123456789.eE+-_, nax\n٣", max_size=8), min_size=1))
def test_whatever_is_taken_for_a_kind_can_be_written(texts):
    kind = kind_of(*texts)
    values = read(texts, kind)
    if kind in ("int", "float"):
        told = [None if value is None else float(value) for value in values]
        assert told == [number_of(text) if "," not in text else None for text in texts]
