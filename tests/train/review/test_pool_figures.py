from __future__ import annotations

import json

import pytest

from agent.trajectory.trajectory import ModelRef, SpectrumRef, Trajectory
from train.review.pool import Pool, open_pool
from train.review.pool_figures import figures
from train.review.programs import CLAIMS, run_panel
from train.review.review_rules import Case, Review


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
