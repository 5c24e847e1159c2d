from __future__ import annotations

from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from tests.train.review.helpers import case, review
from train.review.json_log import append_to_log, read_log
from train.review.review_rules import Review, review_from, review_to_json


def write(path: Path, *reviews: Review) -> None:
    append_to_log(path, [review_to_json(each) for each in reviews])


def test_reviews_are_kept_as_they_were_given(tmp_path: Path) -> None:
    path = tmp_path / "reviews.jsonl"
    one = case()
    given = [
        review(one, "Ада", "screener", at="2026-01-01T00:00:00+00:00"),
        review(
            one, "B", "reviser", coherence=4, consistency=5, note="ok", replies=("a",), diff="d"
        ),
    ]
    write(path, *given[:1])
    write(path, *given[1:])
    assert list(read_log(path, review_from)) == given
    assert list(read_log(tmp_path / "absent", review_from)) == []


def test_a_line_cut_off_by_a_crash_is_left_out_and_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "reviews.jsonl"
    first, second = review(case(), "A", "screener"), review(case(), "B", "screener")
    write(path, first)
    with path.open("a") as file:
        file.write('{"trajectory": "c1", "ro')
    assert list(read_log(path, review_from)) == [first]
    write(path, second)
    assert list(read_log(path, review_from)) == [first, second]


def test_a_whole_line_without_its_end_stays(tmp_path: Path) -> None:
    path = tmp_path / "reviews.jsonl"
    first, second = review(case(), "A", "screener"), review(case(), "B", "screener")
    write(path, first)
    path.write_text(path.read_text().rstrip("\n"))  # as an editor may leave it
    write(path, second)
    assert list(read_log(path, review_from)) == [first, second]


def test_a_line_that_is_too_long_is_neither_written_nor_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "reviews.jsonl"
    first = review(case(), "A", "screener", note="n" * 200)
    write(path, first)
    monkeypatch.setattr("train.review.json_log.MAX_LINE", 150)
    with pytest.raises(WorkbenchError, match="longer than 150 bytes"):
        write(path, first)
    with pytest.raises(WorkbenchError, match="line 1: longer than 150 bytes"):
        list(read_log(path, review_from))


def test_a_line_that_is_no_review_is_named(tmp_path: Path) -> None:
    path = tmp_path / "reviews.jsonl"
    write(path, review(case(), "A", "screener"))
    path.write_text(path.read_text() + '{"role": "king"}\n')
    with pytest.raises(WorkbenchError, match="line 2: role should be"):
        list(read_log(path, review_from))
