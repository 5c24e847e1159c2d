"""What all have approved, for training."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import write_trajectories
from train.curate.parcels import Parcel, packed, pool_at, unpacked
from train.curate.pool import Pool
from train.parallel import in_order
from train.reward import check_references


def export_approved(pool: Pool, out: Path, workers: int = 1) -> int:
    """Those approved by all, as last worded, for training; how many.

    Raises WorkbenchError where the reward of `grpo` would not give one of them full marks.
    """
    parcels = map(packed, pool.waiting("approved"))
    approved = list(in_order(partial(_current, pool.folder, pool.sets), parcels, workers))
    check_references(
        approved, {(name, sha256): row["answer"] for (sha256, name), row in pool.truths.items()}
    )
    part = out.with_name(f".{out.name}.part")
    count = write_trajectories(part, approved)
    part.replace(out)
    return count


def _current(folder: Path, sets: tuple[Path, ...], parcel: Parcel) -> Trajectory:
    return pool_at(folder, sets).current(unpacked(parcel))
