"""Membership of the spectra in the catalogue of each class."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from agent.errors import WorkbenchError
from agent.spectra.spectrum import BoolArray
from agent.tasks.catalogue import find_task
from train.bench.sources import Sources, directions, nearest_within
from train.bench.tables import position_of, read_rows

Catalogues = Mapping[str, Sequence[Path]]  # the files of each task


def catalogue_files(texts: Sequence[str]) -> dict[str, list[Path]]:
    """Parse options like `CV=known.csv`; a task may have several files."""
    found: dict[str, list[Path]] = {}
    for text in texts:
        name, equals, file = text.partition("=")
        if not equals or not file:
            raise WorkbenchError(f"--catalogue {text[:80]!r}: write it as CV=known.csv")
        path = Path(file).expanduser()
        if not path.is_file():
            raise WorkbenchError(f"--catalogue {text[:80]!r}: no such file")
        found.setdefault(find_task(name).id, []).append(path)
    return found


def catalogued(
    sources: Sources, tasks: Sequence[str], files: Catalogues, uncatalogued: float, seed: int
) -> dict[str, BoolArray]:
    """For each task, whether the object of each spectrum is in its catalogue.

    Without a file for a task, the labels of the archive are its catalogue, less the share
    `uncatalogued` of the members.
    """
    found = {}
    for number, each in enumerate(tasks):
        if each in files:
            is_in = matched(sources, files[each])
        else:
            rng = np.random.default_rng([seed, number])
            is_known = rng.random(int(sources.object.max(initial=0)) + 1) >= uncatalogued
            is_in = (sources.label == each) & is_known[sources.object]
        objects = np.zeros(int(sources.object.max(initial=0)) + 1, dtype=np.bool_)
        objects[sources.object[is_in]] = True
        found[each] = objects[sources.object]
    return found


def matched(sources: Sources, files: Sequence[Path]) -> BoolArray:
    """Whether each spectrum is in the files, by position within 3 arcsec or by name or number."""
    positions: list[tuple[float, float]] = []
    names: set[str] = set()
    for path in files:
        count = 0
        for row in read_rows(path, ("ra", "dec", "object_id")):
            ra, dec = position_of(row)
            if not math.isnan(ra):
                positions.append((ra, dec))
            if row.get("object_id"):
                names.add(row["object_id"])
            count += 1
        if not count:
            raise WorkbenchError(f"{path}: the catalogue is empty")
    of = directions(*np.array(positions, dtype=np.float64).reshape(-1, 2).T)
    by_position = nearest_within(sources.ra, sources.dec, of)
    ids = zip(sources.object_id, sources.other_id, strict=True)
    by_name = [first in names or second in names for first, second in ids]
    return by_position | np.array(by_name, dtype=np.bool_)
