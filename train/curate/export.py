"""Exports the approved trajectories in several processes."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from agent.curation.export import Exported, export_approved
from agent.curation.pool import Pool
from agent.trajectory.trajectory import Trajectory
from train.curate.packed_cases import PackedCase, cached_pool, pack, unpack
from train.parallel import in_order


def export_in_processes(pool: Pool, out: Path, workers: int = 1) -> Exported:
    """Write the approved trajectories, told anew by so many processes."""
    packed = map(pack, pool.cases_at("approved"))
    return export_approved(pool, out, in_order(partial(_current, pool.place), packed, workers))


def _current(place: Path | str, packed: PackedCase) -> Trajectory:
    return cached_pool(place).current_trajectory(unpack(packed))
