"""Fleiss' kappa against its definition, a published table, and what its intervals promise."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.confidence.fleiss import fleiss_agreement
from agent.confidence.judged import ConfidenceError
from agent.confidence.scores import cohen_kappa, confusion_matrix
from tests.agent.confidence.judged_samples import fleiss_by_definition

WORDS = ("ACCEPT", "REJECT", "UNSURE")
ROWS = st.lists(st.lists(st.sampled_from(range(3)), min_size=0, max_size=6), max_size=25)

FOURTEEN_JUDGES = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
"""Ten subjects, five categories: the worked example met in most texts on this kappa."""


def counted(verdicts):
    return [[each.count(word) for word in range(3)] for each in verdicts]


def test_the_published_example():
    patterns = Counter(map(tuple, FOURTEEN_JUDGES))
    found = fleiss_agreement(patterns, "abcde")
    assert found.observed.value == pytest.approx(0.37802, abs=5e-6)
    assert found.kappa.value == pytest.approx(0.20993, abs=5e-6)
    assert (found.n, found.verdicts) == (10, 140)


@given(ROWS)
def test_it_is_what_it_is_defined_as(verdicts):
    found = fleiss_agreement(Counter(map(tuple, counted(verdicts))), WORDS)
    assert found.n == sum(len(each) > 1 for each in verdicts)
    if len({word for each in verdicts if len(each) > 1 for word in each}) < 2:
        assert found.kappa.value is None
    else:
        assert found.kappa.value == pytest.approx(fleiss_by_definition(verdicts), abs=1e-12)
        assert found.kappa.low <= found.kappa.value <= found.kappa.high <= 1.0


def test_of_two_judges_of_the_same_habits_it_is_cohens():
    first, second = [0] * 6 + [1] * 6, [0] * 5 + [1] * 6 + [0]
    both = [[a, b] for a, b in zip(first, second, strict=True)]
    cohen = float(cohen_kappa(confusion_matrix(first, second, (0, 1, 2))))
    found = fleiss_agreement(Counter(map(tuple, counted(both))), WORDS)
    assert found.kappa.value == pytest.approx(cohen)


def test_the_same_seed_draws_the_same_interval():
    patterns = {(3, 0, 0): 20, (2, 1, 0): 5, (0, 3, 0): 30}
    found = fleiss_agreement(patterns, WORDS, seed=1)
    assert found == fleiss_agreement(dict(reversed(patterns.items())), WORDS, seed=1)
    assert found.kappa != fleiss_agreement(patterns, WORDS, seed=2).kappa
    narrow = fleiss_agreement(patterns, WORDS, confidence=0.5, seed=1)
    assert found.kappa.low < narrow.kappa.low < narrow.kappa.high < found.kappa.high


def test_complete_agreement_over_few_is_not_certain():
    found = fleiss_agreement({(3, 0, 0): 5, (0, 3, 0): 5}, WORDS)
    assert found.kappa.value == found.kappa.high == 1.0
    assert found.kappa.low < 0.9
    assert found.observed.low < 1.0


@pytest.mark.parametrize("patterns", [{}, {(1, 0, 0): 9}, {(3, 0, 0): 0}])
def test_without_two_verdicts_on_anything_there_is_no_agreement(patterns):
    found = fleiss_agreement(patterns, WORDS)
    assert (found.n, found.observed.value, found.kappa.value) == (0, None, None)


def test_one_word_for_everything_has_no_kappa():
    found = fleiss_agreement({(0, 3, 0): 9}, WORDS)
    assert found.kappa.value is None
    assert found.observed.value == 1.0


@pytest.mark.parametrize("n", [40, 200])
@pytest.mark.parametrize("judges", [2, 4])
def test_intervals_hold_the_truth_as_often_as_they_say(rng, n, judges):
    """Three in ten are real; each judge sees that in 85 of a hundred."""
    real, right = 0.3, 0.85

    def drawn(size):
        truth = rng.random(size) < real
        accepts = rng.binomial(judges, np.where(truth, right, 1 - right))
        return np.column_stack([accepts, judges - accepts, np.zeros(size, dtype=int)])

    kappa = fleiss_agreement(Counter(map(tuple, drawn(400_000).tolist())), WORDS).kappa.value
    held = []
    for seed in range(300):
        patterns = Counter(map(tuple, drawn(n).tolist()))
        found = fleiss_agreement(patterns, WORDS, seed=seed).kappa
        held.append(found.low <= kappa <= found.high)
    assert abs(np.mean(held) - 0.95) < 0.045


@pytest.mark.parametrize(
    ("patterns", "categories"),
    [
        ({(1, 1): 3}, WORDS), ({(2, -1, 0): 3}, WORDS), ({(2, 1, 0): -3}, WORDS), ({}, ()),
        ({}, range(101)),
    ],
)  # fmt: skip
def test_patterns_that_cannot_be_are_refused(patterns, categories):
    with pytest.raises(ConfidenceError):
        fleiss_agreement(patterns, categories)
