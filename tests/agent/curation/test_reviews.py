from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.curation.reviews import (
    add_reviews,
    diff_of,
    read_reviews,
    review_from,
    version_of,
)
from agent.errors import WorkbenchError
from tests.agent.curation.helpers import case, review


def test_reviews_are_kept_as_they_were_given(tmp_path: Path) -> None:
    path = tmp_path / "reviews.jsonl"
    one = case()
    given = [
        review(one, "Ада", "screener", at="2026-01-01T00:00:00+00:00"),
        review(
            one, "B", "reviser", coherence=4, consistency=5, note="ok", replies=("a",), diff="d"
        ),
    ]
    add_reviews(path, given[:1])
    add_reviews(path, given[1:])
    assert list(read_reviews(path)) == given
    assert list(read_reviews(tmp_path / "absent")) == []


def test_a_line_cut_off_by_a_crash_is_left_out_and_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "reviews.jsonl"
    first, second = review(case(), "A", "screener"), review(case(), "B", "screener")
    add_reviews(path, [first])
    with path.open("a") as file:
        file.write('{"trajectory": "c1", "ro')
    assert list(read_reviews(path)) == [first]
    add_reviews(path, [second])
    assert list(read_reviews(path)) == [first, second]


GOOD = {"trajectory": "c", "role": "auditor", "by": "A", "approve": True, "version": "v"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"role": "king"}, "role should be one of"),
        ({"approve": 1}, "true or false"),
        ({"coherence": 6}, "0 to 5"),
        ({"consistency": 2.5}, "whole number"),
        ({"by": "x" * 100}, "1 to 80"),
        ({"by": " "}, "by should be"),
        ({"colour": "red"}, "has no"),
        ({"replies": "text"}, "list"),
        ({"replies": [3]}, "reply should be"),
    ],
)
def test_lines_that_are_no_reviews(tmp_path: Path, change: dict[str, object], why: str) -> None:

    assert review_from(GOOD).by == "A"
    path = tmp_path / "reviews.jsonl"
    path.write_text(json.dumps({**GOOD, **change}) + "\n")
    with pytest.raises(WorkbenchError, match=why) as error:
        list(read_reviews(path))
    assert "line 1" in str(error.value)


def test_a_diff_shows_what_changed() -> None:
    said = diff_of(("one", "two words"), ("one", "two other words"))
    assert "-two words" in said and "+two other words" in said and "turn 2" in said
    assert diff_of(("a",), ("a",)) == ""
    assert version_of(("a", "b")) != version_of(("a b",))
