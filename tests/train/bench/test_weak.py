from __future__ import annotations

import numpy as np
import pytest

from train.bench.weak import cross_fitted, rebalanced


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
