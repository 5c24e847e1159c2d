"""The best of what a search has seen, and what is passed on of it."""

import math

import pytest

from app.core.finding.search import SearchState
from app.ui.start.finding import search_thread
from app.ui.start.finding.search_thread import BestSoFar, SearchProgress


def rows(scores):
    count = len(scores)
    return {
        "path": [f"{each}.fits" for each in range(count)], "row": [0] * count,
        "object_id": [""] * count, "snr": [10.0] * count, "ra": [None] * count,
        "dec": [None] * count, "oddness": [1.0] * count, "p_CV": scores,
    }  # fmt: skip


def test_the_best_of_each_class_are_kept_and_no_more(monkeypatch):
    monkeypatch.setattr(search_thread, "MOST_KEPT", 3)
    best = BestSoFar(["CV"])
    best.add({})
    best.add(rows([0.1, math.nan, 0.9, 0.2, 0.8, 0.7, 0.6, 0.5]))
    best.add(rows([0.95]))
    kept = best.of("CV")
    assert len(kept) <= 6 and {each.score for each in kept} >= {0.95, 0.9, 0.8, 0.7}
    assert math.isnan(kept[0].ra) and kept[0].name == "2.fits"
    assert len(best.of("odd")) <= 6 and best.of("WD") == []


@pytest.mark.parametrize(
    ("total", "rate", "left"),
    [(200, 10.0, 10.0), (None, 10.0, None), (200, None, None), (50, 10.0, 0.0)],
)
def test_the_time_left_is_told_where_it_is_known(total, rate, left):
    state = SearchState(done=100, known=15)
    assert SearchProgress(state=state, total=total, rate=rate).seconds_left == left
