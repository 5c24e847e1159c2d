from __future__ import annotations

import pytest

from train.review.judge import read_scores

SCORES = '{"coherence": %s, "consistency": %s}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SCORES % (4, 5), (4, 5, True)),
        ("I think {hard}. ```json\n" + SCORES % ('"3/5"', 4.0) + "\n```", (3, 4, False)),
        ('{"coherence": 5, "consistency": 5, "approve": false, "note": "no"}', (5, 5, False)),
        (SCORES % (1, 1) + " or rather " + SCORES % (2, 2), (2, 2, False)),
    ],
)
def test_scores_in_any_wrapping(text: str, expected: tuple[int, int, bool]) -> None:
    found = read_scores(text)
    assert found is not None
    assert (found.coherence, found.consistency, found.approve) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5 and 5",
        SCORES % (7, 1),
        SCORES % ("true", 1),
        SCORES % ("NaN", 4),
        SCORES % ("[4]", "{}"),
        '{"coherence": 4}',
        "{" * 3000,
        "[4, 5]",
    ],
)
def test_what_is_no_score(text: str) -> None:
    assert read_scores(text) is None
