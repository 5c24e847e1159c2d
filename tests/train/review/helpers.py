"""Helpers for tests of reviews: an audit, and cases without a pool."""

from dataclasses import replace

from agent.examples.examples import Example
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import Trajectory
from tests.agent.ratings.made import trajectory
from train.review.audit import Audit, audit
from train.review.pool import Pool, open_pool
from train.review.review_rules import Case, Review, ReviewRole

Pairs = list[tuple[Trajectory, Example]]


def stages(pool: Pool) -> list[str]:
    return [case.stage for case in open_pool(pool.place).cases()]


def audited(record: Trajectory, example: Example) -> Audit:
    return audit(record, example, find_task(record.task))


def case(*replies: str) -> Case:
    return Case("c1", replace(trajectory("s", "m"), replies=replies or ("one", "two")))


def review(about: Case, by: str, role: ReviewRole, approve: bool = True, **more: object) -> Review:
    return Review(
        trajectory=about.id, role=role, by=by, approve=approve, version=about.version, **more
    )


def give(pool: Pool, number: str, by: str, role: ReviewRole, **more: object) -> Case:
    """A review by somebody at another computer."""
    return pool.add_review(review(pool.case(number), by, role, **more))


def returned(pool: Pool, number: str) -> None:
    """Both auditors of Ben's revision have answered, and one wants changes."""
    give(pool, number, "Ben", "screener")
    give(pool, number, "Ben", "reviser")
    give(pool, number, "Di", "auditor", approve=False, changes=True, note="why?")
    give(pool, number, "Cy", "auditor")
