"""Write the inspections as JSON lines, the format that `train/` reads."""

from collections.abc import Iterable
from pathlib import Path

from agent.atomic_file import atomic_file
from agent.trajectory.trajectory_file import to_line
from app.core.errors import disk_errors
from app.core.exporting.rows import selected_ids
from app.core.exporting.selection import Which
from app.core.inspections.store import all_trajectories, inspections_of
from app.core.progress import Progress, ShouldStop, Steps
from app.core.session.session import Session

PROGRESS_EVERY = 100  # records between two progress reports


def write_records(
    session: Session,
    out: Path,
    *,
    which: Which | Iterable[int] = "all",
    reviewer: str | None = None,
    should_stop: ShouldStop | None = None,
    progress: Progress | None = None,
) -> int:
    """Write the inspections of all models, atomically; returns their number.

    `which` and `reviewer` select candidates as for a catalogue. A selection is written by
    candidate, all inspections in the order they were made.
    """
    if which == "all" and reviewer is None:
        wanted, total = all_trajectories(session), session.count()
    else:
        ids = selected_ids(session, which, reviewer)
        found = (each for number in ids for each in reversed(inspections_of(session, number)))
        wanted, total = (each.trajectory for each in found), len(ids)
    steps = Steps("export", total, progress, should_stop)
    count = 0
    with disk_errors(out), atomic_file(out) as file:
        for trajectory in wanted:
            file.write((to_line(trajectory) + "\n").encode("ascii"))
            count += 1
            if count % PROGRESS_EVERY == 0:
                steps.step(PROGRESS_EVERY)
        steps.step(total)
    return count
