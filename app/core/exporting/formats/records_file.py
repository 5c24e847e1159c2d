"""The agents' records as JSON lines, one inspection each: what `train/` reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import to_line
from app.core.atomic_file import written_whole
from app.core.exporting.chosen import chosen_ids
from app.core.exporting.selection import Which
from app.core.inspections.store import all_trajectories, inspections_of
from app.core.progress import Progress, ShouldStop, Steps
from app.core.session.session import Session

STRIDE = 100
"""Records between two words of how far it is."""


def write_records(
    session: Session,
    out: Path,
    *,
    which: Which | Iterable[int] = "all",
    reviewer: str | None = None,
    should_stop: ShouldStop | None = None,
    progress: Progress | None = None,
) -> int:
    """Of every model, the file whole or not at all; how many records there are.

    `which` and `reviewer` as for a catalogue; by candidate then, else in the order they were made.
    """
    if which == "all" and reviewer is None:
        wanted, total = all_trajectories(session), session.count()
    else:
        ids = chosen_ids(session, which, reviewer)
        wanted, total = _of(session, ids), len(ids)
    steps = Steps("export", total, progress, should_stop)
    count = 0
    with written_whole(out) as file:
        for trajectory in wanted:
            file.write((to_line(trajectory) + "\n").encode("ascii"))
            count += 1
            if count % STRIDE == 0:
                steps.step(STRIDE)
        steps.step(total)
    return count


def _of(session: Session, ids: Iterable[int]) -> Iterator[Trajectory]:
    for number in ids:
        for each in reversed(inspections_of(session, number)):
            yield each.trajectory
