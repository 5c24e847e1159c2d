from __future__ import annotations

import pytest

from agent.errors import WorkbenchError
from tests.train.evaluate.helpers import rows
from train.evaluate.figures import mean_f1
from train.evaluate.significance import compare, mcnemar


class TestComparison:
    def test_mcnemar_by_hand(self):
        assert mcnemar(0, 0) == 1.0
        assert mcnemar(5, 5) == 1.0
        assert mcnemar(0, 5) == pytest.approx(2 * 0.5**5)

    def test_counts_pairs_by_key(self):
        one = rows(5, 5, 0, 10)
        two = list(reversed(rows(8, 2, 0, 10)))
        found = compare("a", "b", one, two[:-1])
        assert (found.n, found.only_first, found.only_second) == (19, 0, 3)
        assert found.f1_difference.value is not None
        assert found.f1_difference.low < found.f1_difference.value < found.f1_difference.high

    def test_a_judge_against_itself_differs_by_nothing(self):
        found = compare("a", "a", rows(5, 5, 3, 7), rows(5, 5, 3, 7))
        difference = found.f1_difference
        assert (difference.value, difference.low, difference.high) == (0.0, 0.0, 0.0)

    def test_the_difference_is_that_of_the_means(self):
        one = [*rows(10, 0, 0, 90), *rows(0, 0, 3, 97, "CS")]
        two = [*rows(5, 5, 0, 90), *rows(0, 0, 0, 100, "CS")]
        found = compare("a", "b", one, two).f1_difference
        assert found.value == pytest.approx(mean_f1(one).value - mean_f1(two).value)

    def test_nothing_in_common(self):
        with pytest.raises(WorkbenchError, match="no candidate in common"):
            compare("a", "b", rows(1, 0, 0, 0), rows(1, 0, 0, 0, "WD"))
