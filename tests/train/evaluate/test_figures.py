from __future__ import annotations

import numpy as np
import pytest

from agent.errors import WorkbenchError
from tests.train.evaluate.helpers import make_judgement, rows
from train.evaluate.figures import (
    compare,
    judge_figures,
    mcnemar,
    mean_f1,
    mean_f1_of,
    task_figures,
)


class TestTaskFigures:
    def test_by_hand(self):
        found = task_figures("CV", rows(8, 2, 4, 36))
        assert found.f1.value == pytest.approx(2 * 8 / (2 * 8 + 2 + 4))
        assert found.accuracy.value == pytest.approx(44 / 50)
        assert (found.n, found.positives) == (50, 10)
        assert found.f1.low < 0.727 < found.f1.high

    def test_no_answer_is_wrong_and_no_alarm(self):
        none = [make_judgement(100, "YES", None), make_judgement(101, "NO", None)]
        found = task_figures("CV", [*rows(1, 0, 0, 1), *none])
        assert found.unanswered == 2
        assert found.accuracy.value == 0.5
        assert found.precision.value == 1.0
        assert found.recall.value == 0.5

    def test_probabilities_give_ranking_figures(self):
        told = [
            make_judgement(n, "YES" if n % 2 else "NO", "YES", p_yes=0.9 if n % 2 else 0.2)
            for n in range(20)
        ]
        found = task_figures("CV", told)
        assert found.average_precision == 1.0
        assert found.calibration_error == pytest.approx(0.15)


class TestMeans:
    def test_mean_over_tasks_not_over_candidates(self):
        both = [*rows(10, 0, 0, 90), *rows(0, 5, 0, 5, "WD")]
        assert mean_f1(both).value == pytest.approx(0.5)
        assert judge_figures("x", both).mean_accuracy == pytest.approx((1.0 + 0.5) / 2)

    def test_a_task_without_members_in_the_set_is_not_in_the_mean(self):
        """Real spectra asked about every class: there may be no carbon star among them."""
        both = [*rows(10, 0, 0, 90), *rows(0, 0, 3, 97, "CS")]
        assert mean_f1(both) == mean_f1(rows(10, 0, 0, 90))

    def test_without_a_member_there_is_no_f1(self):
        found = judge_figures("x", rows(0, 0, 3, 97, "CS"))
        assert found.mean_f1.value is None
        assert found.tasks[0].f1.value is None
        assert found.mean_accuracy == pytest.approx(0.97)

    def test_interval_has_width_even_where_all_is_right(self):
        found = mean_f1(rows(10, 0, 0, 50))
        assert found.value == 1.0
        assert 0.7 < found.low < 1.0

    @pytest.mark.parametrize(
        ("hit", "alarm"),
        [
            ([0.8] * 5, [0.05] * 5),
            ([0.98, 0.985, 0.99, 0.97, 0.85], [0.005, 0.002, 0.001, 0.008, 0.03]),
        ],
        ids=["fair", "good"],
    )
    def test_interval_covers_the_truth_as_often_as_it_says(self, hit, alarm):
        """And misses it on both sides alike: five tasks, 100 positives and 500 negatives."""
        rng = np.random.default_rng(5)
        truth = np.mean(
            [2 * one / (1 + one + 5 * other) for one, other in zip(hit, alarm, strict=True)]
        )
        draws, below, above = 400, 0, 0
        for seed in range(draws):
            hits, alarms = rng.binomial(100, hit), rng.binomial(500, alarm)
            tables = [
                np.array([[500 - called, called], [100 - right, right]])
                for right, called in zip(hits, alarms, strict=True)
            ]
            found = mean_f1_of(tables, seed)
            below += truth < found.low
            above += truth > found.high
        assert 0.02 <= (below + above) / draws <= 0.08
        assert min(below, above) >= 0.2 * (below + above)

    def test_interval_is_about_the_figure(self):
        """Smoothed counts gave 98.5 (97.0 to 98.8)."""
        good = [one for task in "ABCDE" for one in rows(98, 2, 1, 499, task)]
        found = mean_f1(good)
        assert (found.low + found.high) / 2 == pytest.approx(found.value, abs=0.001)

    def test_same_seed_same_interval(self):
        assert mean_f1(rows(8, 2, 1, 9), 3) == mean_f1(rows(8, 2, 1, 9), 3)


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
