"""Work on the cases of a pool in several processes, and the export that is done so."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

from agent.ratings.records import trajectory_id
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import from_line, to_line
from train.parallel import in_order
from train.review.export import Exported, export_approved
from train.review.pool import Pool, open_pool
from train.review.review_rules import Case
from train.review.reviews import Review

PackedCase = tuple[str, list[Review]]


def pack(case: Case) -> PackedCase:
    return to_line(case.trajectory), case.reviews


def unpack(packed: PackedCase) -> Case:
    line, reviews = packed
    trajectory = from_line(line)
    case = Case(trajectory_id(trajectory), trajectory)
    case.add_recorded(reviews)
    return case


@cache
def cached_pool(place: Path | str) -> Pool:
    """The pool shared by all cases of a process, so that its spectra are indexed once."""
    return open_pool(place)


def export_in_processes(pool: Pool, out: Path, workers: int = 1) -> Exported:
    """Write the approved trajectories, told anew by so many processes."""
    packed = map(pack, pool.cases_at("approved"))
    return export_approved(pool, out, in_order(partial(_current, pool.place), packed, workers))


def _current(place: Path | str, packed: PackedCase) -> Trajectory:
    return cached_pool(place).current_trajectory(unpack(packed))
