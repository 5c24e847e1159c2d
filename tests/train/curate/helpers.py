"""Helpers for tests of reviews: an audit, cases without a pool, and a scripted person."""

from __future__ import annotations

from rich.console import Console

from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Trajectory
from train.curate.audit import Audit, audit
from train.curate.pool import Pool, open_pool
from train.curate.process import Case
from train.curate.reviews import Review, Role
from train.curate.terminal import review_in_terminal
from train.examples import Example

Pairs = list[tuple[Trajectory, Example]]


def stages(pool: Pool) -> list[str]:
    return [case.stage for case in open_pool(pool.folder).cases()]


def people(pool: Pool, by: str, role: str, *answers: str, edit: str = "") -> int:
    left = list(answers)
    console = Console(file=open("/dev/null", "w"), width=80)  # noqa: SIM115, PTH123
    with console.file:
        return review_in_terminal(
            pool, by, role, console, lambda question: left.pop(0), lambda text: edit, limit=1
        )


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


def review(about: Case, by: str, role: Role, approve: bool = True, **more: object) -> Review:
    return Review(
        trajectory=about.id, role=role, by=by, approve=approve, version=about.version, **more
    )
