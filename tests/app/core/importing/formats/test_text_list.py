"""CSV and its relatives as people write them: encodings, delimiters, headers, broken rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import ImportFailed
from app.core.importing.formats.byte_stream import CHUNK
from app.core.importing.formats.text_list import TextList
from tests.app.core.importing.formats.text_lists import opened, rows
from tests.app.core.importing.gzip_members import joined, member


def test_comments_and_blank_lines_are_no_rows(folder):
    file = opened(folder, "name,path\na,1\n\n#b,2\n   \nc,3\n")
    assert rows(file) == {1: ("a", "1"), 2: ("c", "3")}
    assert file.warnings() == ["skipped 1 line beginning with #"]


def test_names_in_a_comment_below_very_many_others(folder):
    body = "1.5 2\n#a note\n2.5 3 4\n" + "3.5 4\n" * 8
    file = opened(folder, "#\n" * 500_000 + "# star mass\n\n" + body)
    assert [column.name for column in file.columns] == ["star", "mass"]
    blocks = list(file.blocks())
    assert [line for block in blocks for line in block.lines] == [1, *range(3, 11)]
    (refused,) = [row for block in blocks for row in block.refused]
    assert (refused.line, refused.reason[:28]) == (2, "line 500,005 of the file: 3 ")
    assert file.warnings() == ["skipped 1 line beginning with #"]


def test_a_comment_below_a_row_names_no_columns(folder):
    file = opened(folder, "1.5,2\n#bad,seeing\n2.5,3\n")
    assert [column.name for column in file.columns] == ["col1", "col2"]
    assert rows(file) == {1: ("1.5", "2"), 2: ("2.5", "3")}


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


def test_formulas_stay_what_they_are(folder):
    cells = ("=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3")
    file = opened(folder, "name,a,b,c\n" + ",".join(cells) + "\n")
    assert rows(file)[1] == cells


def test_how_many_rows_about(folder):
    lines = [f"star{n:06d},{n:06d}.fits" for n in range(50_000)]
    file = opened(folder, "\n".join(["name,path", *lines]))
    assert file.estimate == pytest.approx(50_000, rel=0.02)


def test_every_row_of_a_catalogue_in_gzip_blocks(folder):
    lines = "".join(f"star{n:06d},{n % 360}.5,{n:06d}.fits\n" for n in range(200_000))
    file = opened(folder, joined(f"name,ra,path\n{lines}".encode(), 65_280), "list.csv.gz")
    assert sum(len(block.lines) for block in file.blocks()) == 200_000


def test_every_row_where_a_member_begins_on_the_last_byte_of_a_read(folder):
    first = "".join(f"star{n:05d},{n:05d}.fits\n" for n in range(7239)).encode()
    second = "".join(f"more{n:05d},{n:05d}.fits\n" for n in range(100)).encode()
    packed = member(b"name,path\n" + first, CHUNK - 1) + member(second, 4000)
    file = opened(folder, packed, "list.csv.gz")
    assert sum(len(block.lines) for block in file.blocks()) == 7339


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
