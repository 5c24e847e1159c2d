"""Files of ratings: nothing is lost or run together when a program is killed while it writes."""

from __future__ import annotations

import pytest
from filelock import FileLock

from agent.errors import WorkbenchError
from tests.agent.ratings.made import rating, trajectory
from train.review import ratings_file
from train.review.ratings_file import MAX_LINE, add_records, ratings_beside, read_records

FIRST, SECOND = (rating(trajectory(), by, 4, 5) for by in ("Ada", "Ben"))


def test_what_was_added_is_read_in_order(tmp_path):
    path = tmp_path / "new" / "night.ratings.jsonl"
    assert list(read_records(path)) == []
    add_records(path, [FIRST])
    add_records(path, [SECOND])
    assert list(read_records(path)) == [FIRST, SECOND]


def test_a_half_written_line_is_skipped_and_then_dropped(tmp_path):
    path = tmp_path / "night.ratings.jsonl"
    add_records(path, [FIRST, SECOND])
    whole = path.read_bytes()
    for cut in range(len(whole) - 1, len(whole) - 60, -7):
        path.write_bytes(whole[:cut])
        assert FIRST in list(read_records(path))
        add_records(path, [SECOND])
        assert list(read_records(path))[-1] == SECOND
        assert path.read_bytes().count(b"\n") == len(list(read_records(path)))


def test_a_whole_last_line_without_an_end_stays(tmp_path):
    path = tmp_path / "night.ratings.jsonl"
    add_records(path, [FIRST])
    path.write_bytes(path.read_bytes().rstrip())
    add_records(path, [SECOND])
    assert list(read_records(path)) == [FIRST, SECOND]


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"kind": "rating"}', '"' + "x" * MAX_LINE + '"', "[" * 5000]
)
def test_an_error_names_the_line(tmp_path, line):
    path = tmp_path / "night.ratings.jsonl"
    add_records(path, [FIRST])
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(WorkbenchError, match=r"night\.ratings\.jsonl, line 2: "):
        list(read_records(path))


def test_a_folder_is_no_file_of_ratings(tmp_path):
    with pytest.raises(WorkbenchError, match="cannot write"):
        add_records(tmp_path, [FIRST])


def test_the_file_beside(tmp_path):
    assert ratings_beside(tmp_path / "night.jsonl").name == "night.ratings.jsonl"


def test_another_program_that_writes_is_waited_for(tmp_path, monkeypatch):
    path = tmp_path / "night.ratings.jsonl"
    add_records(path, [FIRST])
    monkeypatch.setattr(ratings_file, "LOCK_TIMEOUT_S", 0.05)
    with FileLock(path.with_name(f".{path.name}.lock")):
        with path.open("ab") as other:
            other.write(b'{"kind": "rat')  # half a line, which is being written
        with pytest.raises(WorkbenchError, match="another program has been writing"):
            add_records(path, [SECOND])
    assert path.read_bytes().endswith(b'{"kind": "rat')  # it was not taken for that of a crash
