from __future__ import annotations

import pytest

from agent.errors import WorkbenchError
from train.review.reviews import (
    diff_of,
    review_from,
    version_of,
)

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
        ({"changes": "yes"}, "may ask for changes"),
        ({"changes": True}, "may ask for changes"),
    ],
)
def test_what_is_no_review(change: dict[str, object], why: str) -> None:

    assert review_from(GOOD).by == "A"
    with pytest.raises(WorkbenchError, match=why):
        review_from({**GOOD, **change})


def test_a_diff_shows_what_changed() -> None:
    said = diff_of(("one", "two words"), ("one", "two other words"))
    assert "-two words" in said and "+two other words" in said and "turn 2" in said
    assert diff_of(("a",), ("a",)) == ""
    assert version_of(("a", "b")) != version_of(("a b",))
