from __future__ import annotations

import json

import pytest

from tests.agent.ratings.made import trajectory
from tests.train.review.helpers import review
from train.review.pool import Pool, open_pool
from train.review.pool_figures import figures
from train.review.programs import CLAIMS, run_panel
from train.review.review_rules import Case


def case(spectrum: str, source: str, scores: dict[str, int]) -> Case:
    made = Case(f"{spectrum}-{source}", trajectory(spectrum, source))
    made.reviews = [
        review(made, by, "auditor", coherence=score, consistency=score)
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
