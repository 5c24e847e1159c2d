"""CSV and its relatives as people write them: encodings, delimiters, headers, broken rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import ImportFailed
from app.core.importing.formats.text_list import TextList
from tests.app.core.importing.formats.text_lists import opened, rows


def test_comments_and_blank_lines_are_no_rows(folder):
    file = opened(folder, "name,path\na,1\n\n#b,2\n   \nc,3\n")
    assert rows(file) == {1: ("a", "1"), 2: ("c", "3")}
    assert file.warnings() == ["skipped 1 line beginning with #"]


def test_formulas_stay_what_they_are(folder):
    cells = ("=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3")
    file = opened(folder, "name,a,b,c\n" + ",".join(cells) + "\n")
    assert rows(file)[1] == cells


def test_how_many_rows_about(folder):
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
