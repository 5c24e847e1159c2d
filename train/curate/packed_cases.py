"""Cases in a form that can be sent to worker processes, and one pool per process."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from agent.curation.pool import Pool, open_pool
from agent.curation.process import Case
from agent.curation.reviews import Review
from agent.ratings.records import trajectory_id
from agent.trajectory.trajectory_file import from_line, to_line

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
