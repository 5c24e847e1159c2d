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
    approved = list(in_order(partial(_current, pool.place), packed, workers))
    truths = pool.store.truths()
    answers = {(name, sha256): row["answer"] for (sha256, name), row in truths.items()}
    check_references(approved, answers)
    part = out.with_name(f".{out.name}.part")
    count = write_trajectories(part, approved)
    part.replace(out)
    return count


def _current(place: Path | str, packed: PackedCase) -> Trajectory:
    return cached_pool(place).current_trajectory(unpack(packed))
