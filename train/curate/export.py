"""Exports the approved trajectories for training."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from agent.curation.pool import Pool
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import write_trajectories
from train.curate.packed_cases import PackedCase, cached_pool, pack, unpack
from train.parallel import in_order
from train.reward import check_references


def export_approved(pool: Pool, out: Path, workers: int = 1) -> int:
    """Write the approved trajectories, which must get full marks from the `grpo` reward."""
    packed = map(pack, pool.cases_at("approved"))
    approved = list(in_order(partial(_current, pool.folder, pool.sets), packed, workers))
    check_references(
        approved, {(name, sha256): row["answer"] for (sha256, name), row in pool.truths.items()}
    )
    part = out.with_name(f".{out.name}.part")
    count = write_trajectories(part, approved)
    part.replace(out)
    return count


def _current(folder: Path, sets: tuple[Path, ...], packed: PackedCase) -> Trajectory:
    return cached_pool(folder, sets).current_trajectory(unpack(packed))
