"""Rows of text lists, regular and damaged."""

from __future__ import annotations

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from app.core.importing.formats.contents import MAX_CELL
from app.core.importing.formats.text_layout import MAX_LINE
from app.core.importing.formats.text_rows import MAX_RECORD_LINES, RowReader
from tests.app.core.importing.formats.text_lists import opened, rows


def refused(file):
    return {row.line: row.reason for block in file.blocks() for row in block.refused}


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


def test_nul_bytes(folder):
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
