"""CSV and its relatives as people write them: encodings, delimiters, headers, broken rows."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import ImportFailed
from app.core.importing.formats.contents import MAX_CELL, MAX_COLUMNS
from app.core.importing.formats.formats import open_list
from app.core.importing.formats.text_layout import MAX_LINE
from app.core.importing.formats.text_list import TextList
from app.core.importing.formats.text_rows import MAX_RECORD_LINES, RowReader


def opened(folder, content, name="list.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return open_list(path)


def rows(file):
    """Every row as text, by its number."""
    found = {}
    for block in file.blocks():
        columns = [cells.texts() for cells in block.cells]
        found |= dict(zip(block.lines, zip(*columns, strict=True), strict=True))
    return found


def refused(file):
    return {row.line: row.reason for block in file.blocks() for row in block.refused}


def names(file):
    return [column.name for column in file.columns]


ENCODINGS = {
    "utf-8": "Hα,中文,é",
    "utf-8-sig": "Hα,中文,é",
    "utf-16": "Hα,中文,é",
    "utf-16-be": "Hα,中文,é",
    "cp1252": "Véron,Gliese’s,±3",
    "latin-1": "Véron,São,±3",
    "gb18030": "双星系统,候选体,河北省兴隆",
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_encodings(folder, encoding):
    text = ENCODINGS[encoding]
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    file = opened(folder, f"{mark}name,note,score\r\n{text}\r\n".encode(encoding))
    assert names(file) == ["name", "note", "score"]
    assert list(rows(file).values()) == [tuple(text.split(","))]
    is_guessed = encoding in ("cp1252", "latin-1", "gb18030")
    assert bool(file.warnings()) is is_guessed


def test_one_strange_line_far_down_is_read_and_told(folder):
    lines = [b"name,path", *(b"star%d,%d.fits" % (n, n) for n in range(20_000))]
    lines[15_000] = "Véron,x.fits".encode("latin-1")
    lines[15_001] = "Hα,y.fits".encode()
    file = opened(folder, b"\n".join(lines))
    found = rows(file)
    assert found[15_000] == ("Véron", "x.fits")
    assert found[15_001] == ("Hα", "y.fits")
    assert file.warnings() == ["1 line not in UTF-8, read as Windows-1252 (Western European)"]


def test_a_few_bytes_cut_from_utf16(folder):
    file = opened(folder, "name,path\nα,a.fits\n".encode("utf-16") + b"\x61")
    assert rows(file)[1] == ("α", "a.fits")


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


def test_comments_and_blank_lines_are_no_rows(folder):
    file = opened(folder, "name,path\na,1\n\n#b,2\n   \nc,3\n")
    assert rows(file) == {1: ("a", "1"), 2: ("c", "3")}
    assert file.warnings() == ["skipped 1 line beginning with #"]


@pytest.mark.parametrize("line", ["# said before\n", "\n", "   \n"])
def test_a_long_preamble(folder, line):
    file = opened(folder, line * 100_000 + "name,path\na,1\nb,2\n")
    assert names(file) == ["name", "path"]
    assert rows(file) == {1: ("a", "1"), 2: ("b", "2")}


def test_rows_of_another_length_are_refused_by_line(folder):
    file = opened(folder, "name,path,n\na,1,1\nb,2\n\nc,3,3,4\nd,4,4,\ne,5,5\n")
    assert rows(file) == {1: ("a", "1", "1"), 4: ("d", "4", "4"), 5: ("e", "5", "5")}
    assert refused(file) == {
        2: "line 3 of the file: 2 cells instead of 3",
        3: "line 5 of the file: 4 cells instead of 3",
    }


def test_a_forgotten_quote_costs_one_row(folder):
    lines = ["name,path", "a,1", '"b,2', *(f"c{n},{n}" for n in range(5000))]
    file = opened(folder, "\n".join(lines) + "\n")
    assert len(rows(file)) == 5001
    assert refused(file) == {2: "line 3 of the file: a quote is not closed"}


def test_a_forgotten_quote_that_meets_another(folder):
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


def test_cells_and_lines_without_bound_are_refused(folder):
    big, huge = "x" * (MAX_CELL + 1), "y" * (MAX_LINE + 200_000)
    file = opened(folder, f"name,path\na,{big}\nb,2\n{huge},3\nc,{'z' * MAX_CELL}\n")
    assert [row[0] for row in rows(file).values()] == ["b", "c"]
    said = refused(file)
    assert "a cell of 32,768 characters" in said[1]
    assert said[3] == "line 4 of the file: it is longer than 1 MB"


def test_a_header_without_bound(folder):
    with pytest.raises(ImportFailed, match="first line is longer than 1 MB"):
        opened(folder, "a," * MAX_LINE + "\n")
    with pytest.raises(ImportFailed, match=f"500,001 columns, more than {MAX_COLUMNS:,}"):
        opened(folder, "," * 500_000 + "\n")


def test_nul_bytes(folder):
    file = opened(folder, b"name,path\na,1\nb\0b,2\nc,3\n" + b"d,4\n" * 100)
    assert refused(file) == {2: "line 3 of the file: it contains a NUL byte"}
    assert len(rows(file)) == 102


def test_formulas_stay_what_they_are(folder):
    cells = ("=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3")
    file = opened(folder, "name,a,b,c\n" + ",".join(cells) + "\n")
    assert rows(file)[1] == cells


def test_ecsv_that_says_more_than_it_holds(folder):
    head = "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: name, datatype: string}\n"
    head += "# - {name: n, datatype: int64, unit: km / s, description: 'a: b'}\n# meta: !!omap []\n"
    file = opened(folder, head + 'name n\n"a b" 1\nc ""\nd x\n', "list.ecsv")
    file.recheck_types()
    assert [(c.name, c.kind, c.unit, c.description) for c in file.columns] == [
        ("name", "str", "", ""),
        ("n", "str", "km / s", "a: b"),
    ]
    assert rows(file) == {1: ("a b", "1"), 2: ("c", ""), 3: ("d", "x")}


@pytest.mark.parametrize(
    "datatype",
    ["", "datatype: 5", "datatype: [1, 2]", "datatype: [{datatype: int}]", "datatype: [" * 3000,
     "datatype: !!python/object/apply:os.system [id]", "delimiter: x", "datatype: &a [*a]"],
)  # fmt: skip
def test_damaged_ecsv(folder, datatype):
    with pytest.raises(ImportFailed, match="ECSV header"):
        opened(folder, f"# %ECSV 1.0\n# ---\n# {datatype}\nname\na\n")


def test_yaml_that_multiplies_itself(folder):
    head = "# %ECSV 1.0\n# ---\n# datatype:\n# - &a {name: a, datatype: int64}\n"
    head += "# - &b {name: b, x: [*a, *a, *a, *a, *a, *a, *a, *a, *a]}\n"
    for name, before in zip("cdefghij", "bcdefghi", strict=True):
        head += f"# - &{name} {{name: {name}, x: [{', '.join([f'*{before}'] * 9)}]}}\n"
    assert len(opened(folder, head + "a b c d e f g h i j\n1 2 3 4 5 6 7 8 9 10\n").columns) == 10


def test_how_many_rows_about(folder):
    lines = [f"star{n:06d},{n:06d}.fits" for n in range(50_000)]
    file = opened(folder, "\n".join(["name,path", *lines]))
    assert file.estimate == pytest.approx(50_000, rel=0.02)


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
