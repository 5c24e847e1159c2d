from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.train.bench.helpers import small
from train.bench.settings import Size
from train.bench.splits import TEST, TRAIN, Candidates, allocate, candidates_of, choose

COUNT = 400


def sources() -> SimpleNamespace:
    return SimpleNamespace(object=np.arange(COUNT))


def candidates(rng: np.random.Generator, positives: int, negatives: int) -> Candidates:
    order = rng.permutation(COUNT)
    return Candidates(order[:positives], order[positives : positives + negatives], negatives)


@given(
    st.lists(st.tuples(st.integers(0, 150), st.integers(0, 250)), min_size=1, max_size=5),
    st.integers(0, 1000),
)
def test_no_object_goes_to_two_splits_whatever_the_tasks(counts, seed):
    rng = np.random.default_rng(seed)
    assigned, rows = {}, []
    size = Size((20, 25), (10, 50))
    for number, (positives, negatives) in enumerate(counts):
        own = candidates(rng, positives, negatives)
        made = choose(str(number), size, own, sources(), assigned, rng)
        rows += made
        assert len({(row.source, row.task) for row in made}) == len(made)
        assert sum(row.split == TEST and row.answer == "YES" for row in made) <= 10
    train = {row.source for row in rows if row.split == TRAIN}
    assert not train & {row.source for row in rows if row.split == TEST}


def test_negatives_keep_their_odds_where_positives_are_few():
    rng = np.random.default_rng(1)
    rows = choose("CV", Size((40, 40), (20, 100)), candidates(rng, 30, 300), sources(), {}, rng)
    count = Counter((row.split, row.answer) for row in rows)
    assert count == {(TRAIN, "YES"): 20, (TRAIN, "NO"): 20, (TEST, "YES"): 10, (TEST, "NO"): 50}


def test_too_few_are_shared_out_in_the_odds_of_the_splits():
    assert allocate(500, (100, 300)) == (100, 300)
    assert allocate(40, (100, 300)) == (10, 30)
    assert allocate(0, (0, 0)) == (0, 0)


def test_filling_up_takes_the_next_highest_p():
    pool = np.arange(6)
    p = np.array([0.9, 0.1, 0.7, 0.85, 0.5, 0.95])
    no = np.zeros(6, dtype=bool)
    known = np.array([False, False, False, False, False, True])
    args = (pool, p, no, known, no)
    rng = np.random.default_rng(0)
    found = candidates_of(*args, small(fill=True), rng)
    assert set(found.negatives[: found.accepted]) == {0, 3}
    assert found.negatives[found.accepted :].tolist() == [2, 4, 1]
    assert set(candidates_of(*args, small(fill=False), rng).negatives) == {0, 3}
