"""Cases on their way to worker processes, each with the pool once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from agent.trajectory.trajectory_file import from_line, to_line
from train.curate.pool import Pool, case_id
from train.curate.process import Case
from train.curate.reviews import Review

Parcel = tuple[str, list[Review]]


def packed(case: Case) -> Parcel:
    return to_line(case.trajectory), case.reviews


def unpacked(parcel: Parcel) -> Case:
    line, reviews = parcel
    trajectory = from_line(line)
    case = Case(case_id(trajectory), trajectory)
    case.take(reviews)
    return case


@cache
def pool_at(folder: Path, sets: tuple[Path, ...]) -> Pool:
    """The same for every case of a process: its spectra are looked up once."""
    return Pool(folder, sets)
