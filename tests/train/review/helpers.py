"""Helpers for tests of reviews: an audit, and cases without a pool."""

from __future__ import annotations

from agent.examples.examples import Example
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Trajectory
from train.review.audit import Audit, audit
from train.review.pool import Pool, open_pool
from train.review.review_rules import Case, Review, ReviewRole

Pairs = list[tuple[Trajectory, Example]]


def stages(pool: Pool) -> list[str]:
    return [case.stage for case in open_pool(pool.place).cases()]


def audited(trajectory: Trajectory, example: Example) -> Audit:
    return audit(trajectory, example, find_task(trajectory.task))


def case(*replies: str) -> Case:
    trajectory = Trajectory(
        task="CV",
        spectrum=SpectrumRef(sha256="s"),
        model=ModelRef(name="m"),
        replies=replies or ("one", "two"),
        stopped_by="answer",
    )
    return Case("c1", trajectory)


def review(about: Case, by: str, role: ReviewRole, approve: bool = True, **more: object) -> Review:
    return Review(
        trajectory=about.id, role=role, by=by, approve=approve, version=about.version, **more
    )
