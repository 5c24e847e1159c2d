"""The section about curation."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")


from agent.trajectory.trajectory import ModelRef, SpectrumRef, Trajectory
from train.report.curating import curation_parts
from train.review.pool_figures import figures
from train.review.review_rules import Case, Review


def reviewed(number: int, *scores: tuple[str, int]) -> Case:
    trajectory = Trajectory(
        task="CV",
        spectrum=SpectrumRef(sha256=str(number)),
        model=ModelRef(name="teacher"),
        stopped_by="answer",
    )
    case = Case(str(number), trajectory)
    case.reviews = [
        Review(
            trajectory=case.id, role="auditor", by=by, approve=True, version=case.version,
            coherence=score, consistency=4,
        )
        for by, score in scores
    ]  # fmt: skip
    return case


def test_agreement():
    cases = [reviewed(n, ("ada", n), ("ben", 5 - n)) for n in range(1, 5)]
    text = "".join(curation_parts(figures(cases)))
    coherence, consistency = text.split("Agreement of raters on physical consistency")
    assert "-1.00" in coherence, "what one calls better the other calls worse"
    assert "<svg" not in consistency and "Not measured" in consistency


def test_who_holds_what_up():
    text = "".join(curation_parts(figures([reviewed(1, ("ada", 4))])))
    assert "<td>waiting for the screener</td><td>1</td>" in text
