from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.errors import WorkbenchError
from tests.train.bench.helpers import small
from train.bench.settings import BenchSettings, Size
from train.bench.splits import (
    TEST,
    TRAIN,
    Candidates,
    SplitAssignment,
    allocate,
    candidates_of,
    choose,
)
from train.bench.weak import cross_fitted, rebalanced
from train.recipe import PRESETS, settings

COUNT = 400


def sources() -> SimpleNamespace:
    return SimpleNamespace(object=np.arange(COUNT))


def candidates(rng: np.random.Generator, positives: int, negatives: int) -> Candidates:
    order = rng.permutation(COUNT)
    return Candidates(
        order[:positives],
        order[positives : positives + negatives],
        negatives,
        np.zeros(negatives, dtype=bool),
    )


@given(
    st.lists(st.tuples(st.integers(0, 150), st.integers(0, 250)), min_size=1, max_size=5),
    st.integers(0, 1000),
)
def test_no_object_goes_to_two_splits_whatever_the_tasks(counts, seed):
    rng = np.random.default_rng(seed)
    assigned, rows = SplitAssignment(), []
    size = Size((20, 25), (10, 50))
    for number, (positives, negatives) in enumerate(counts):
        made = choose(
            str(number), size, candidates(rng, positives, negatives), sources(), assigned, rng
        )
        rows += made
        assert len({(row.source, row.task) for row in made}) == len(made)
        assert sum(row.split == TEST and row.answer == "YES" for row in made) <= 10
    train = {row.source for row in rows if row.split == TRAIN}
    assert not train & {row.source for row in rows if row.split == TEST}


def test_negatives_keep_their_odds_where_positives_are_few():
    rng = np.random.default_rng(1)
    rows = choose(
        "CV", Size((40, 40), (20, 100)), candidates(rng, 30, 300), sources(), SplitAssignment(), rng
    )
    count = {
        (split, answer): sum((row.split, row.answer) == (split, answer) for row in rows)
        for split in (TRAIN, TEST)
        for answer in ("YES", "NO")
    }
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


class TestWeak:
    def data(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(3)
        is_member = np.arange(600) < 60
        numbers = rng.normal(0, 1, (600, 5)).astype(np.float32)
        numbers[is_member, 0] += 3.0
        numbers[rng.random((600, 5)) < 0.2] = np.nan
        numbers[:, 4] = np.nan
        return numbers, is_member

    def test_tells_members_from_the_rest(self):
        numbers, is_member = self.data()
        p = cross_fitted(numbers, is_member, random_per_positive=5, folds=3, seed=1)
        assert p.shape == (600,) and (p >= 0).all() and (p <= 1).all()
        assert p[is_member].mean() > 0.6 > 0.3 > p[~is_member].mean()

    def test_a_source_is_not_scored_by_a_model_that_saw_it(self):
        """Of pure noise a model that saw its rows would know them by heart."""
        rng = np.random.default_rng(5)
        numbers = rng.normal(size=(400, 8)).astype(np.float32)
        is_member = np.arange(400) < 100
        p = cross_fitted(numbers, is_member, random_per_positive=3, folds=5, seed=1)
        assert abs(p[is_member].mean() - p[~is_member].mean()) < 0.1

    def test_p_is_as_of_balanced_classes(self):
        assert rebalanced(np.array([0.2]), 0.2) == pytest.approx(0.5)
        assert rebalanced(np.array([0.0, 1.0]), 0.1).tolist() == [0.0, 1.0]


class TestSettings:
    def test_defaults_are_the_published_sizes(self):
        published = BenchSettings()
        assert published.size("CV") == Size((343, 368), (229, 1229))
        assert published.size("O") == Size((0, 0), (50, 250))
        assert (published.min_snr, published.p_negative) == (10.0, 0.8)

    @pytest.mark.parametrize("preset", PRESETS)
    def test_every_preset_is_accepted(self, preset: str):
        found = settings(BenchSettings, "bench", preset=preset)
        if preset in ("3b", "7b"):
            assert found == BenchSettings()

    @pytest.mark.parametrize(
        "wrong",
        [
            {"sizes": ("CV 1/1",)},
            {"sizes": ("CV 1/1 1/1",)},
            {"tasks": ()},
            {"cross_survey_size": "many"},
            {"p_negative": 1.5},
            {"folds": 1},
            {"seed": -1},
        ],
    )
    def test_what_makes_no_sense_is_refused(self, wrong):
        with pytest.raises(WorkbenchError):
            BenchSettings(**wrong)
