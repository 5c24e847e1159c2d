from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import spearmanr

from agent.curation.pool import Pool, open_pool
from agent.curation.process import Case
from agent.curation.reviews import Review
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Trajectory
from train.curate.figures import bradley_terry, figures, preference, ranks, spearman
from train.curate.panel import CLAIMS, run_panel


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


def case(spectrum: str, source: str, scores: dict[str, int]) -> Case:
    trajectory = Trajectory(
        task="CV",
        spectrum=SpectrumRef(sha256=spectrum),
        model=ModelRef(name=source),
        replies=(source,),
        stopped_by="answer",
    )
    made = Case(f"{spectrum}-{source}", trajectory)
    made.reviews = [
        Review(
            trajectory=made.id,
            role="auditor",
            by=by,
            approve=True,
            version=made.version,
            coherence=score,
            consistency=score,
        )
        for by, score in scores.items()
    ]
    return made


def test_sources_are_compared_on_the_same_spectrum_by_the_same_rater() -> None:
    cases = [
        case("s1", "ours", {"A": 5, "B": 4}),
        case("s1", "theirs", {"A": 2, "B": 4}),
        case("s2", "ours", {"A": 5}),
        case("s3", "theirs", {"A": 0}),
    ]
    (pair,) = figures(cases)["preference"]["pairs"]
    assert (pair["first"], pair["second"], pair["n"], pair["rate"]) == ("ours", "theirs", 2, 0.75)
    assert figures(cases)["sources"]["ours"]["mean_score"] == pytest.approx(14 / 3)


def test_figures_of_a_pool(pool: Pool) -> None:
    run_panel(pool)
    found = figures(open_pool(pool.place).cases())
    assert found["stages"]["approved"] == 3 and found["approvals"]["auditor"]["n"] == 6
    assert found["scores"]["consistency"]["auditor"]["counts"][5] == 6
    assert {(row["first"], row["n"]) for row in found["agreement"]} >= {(CLAIMS, 3)}
    assert json.loads(json.dumps(found, allow_nan=False)) == found
