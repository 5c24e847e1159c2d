"""Cases on their way to worker processes, which open the pool for themselves."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from agent.trajectory_file import from_line, to_line
from train.curate.pool import Pool, case_id, open_pool
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
def pool_at(folder: Path) -> Pool:
    return open_pool(folder)
