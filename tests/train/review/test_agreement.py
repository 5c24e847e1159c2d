from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from train.review.agreement import bradley_terry, preference, ranks, spearman


def test_spearman_agrees_with_scipy(rng: np.random.Generator) -> None:
    for _ in range(20):
        a, b = rng.integers(0, 6, (2, 40))
        assert spearman(a, b) == pytest.approx(spearmanr(a, b).statistic)


def test_spearman_is_none_for_few_or_constant_values() -> None:
    assert spearman([1, 2], [1, 2]) is None
    assert spearman([5, 5, 5], [1, 2, 3]) is None
    assert spearman([1, 2, 3], [9, 8, 7]) == pytest.approx(-1)
    assert ranks([3, 1, 3]).tolist() == [2.5, 1.0, 2.5]


def test_bradley_terry_recovers_the_strengths(rng: np.random.Generator) -> None:
    truth = {"a": 0.6, "b": 0.3, "c": 0.1}
    wins = {}
    for first in truth:
        for second in truth:
            if first != second:
                chance = truth[first] / (truth[first] + truth[second])
                wins[first, second] = 4000 * chance
    found = bradley_terry(wins)
    assert found == pytest.approx(truth, abs=0.01)
    assert sum(found.values()) == pytest.approx(1)


def test_a_source_that_never_lost_has_a_finite_strength() -> None:
    found = bradley_terry({("a", "b"): 5.0, ("b", "a"): 0.0})
    assert 0.8 < found["a"] < 1.0


def test_preference_of_two() -> None:
    (pair,) = preference({("a", "b"): 8.0, ("b", "a"): 2.0})["pairs"]
    assert pair["rate"] == 0.8 and pair["n"] == 10
    assert pair["interval"][0] < 0.5 < 0.8 < pair["interval"][1] < 1.0
    assert preference({}) == {"pairs": [], "strengths": {}}
