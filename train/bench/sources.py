"""All spectra of the archive as columns: known facts, measurements, and the object of each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from agent.errors import WorkbenchError
from agent.spectra.measure.features import feature_names
from agent.spectra.pixel_grid import IndexArray
from agent.spectra.spectrum import BoolArray, FloatArray
from agent.tasks.catalogue import find_task
from app.core.importing.sky import chord, unit_vectors
from train.bench.archive import FileJob
from train.bench.measuring import SelectionRule
from train.bench.tables import position_of, read_rows

if TYPE_CHECKING:
    import pyarrow

Texts = NDArray[np.str_]
MATCH_ARCSEC = 3.0
MAX_PAIRS = 50_000_000  # Most pairs of neighbours; more means that the positions are not usable.


@dataclass(frozen=True, eq=False)
class Sources:
    """Columns with a row per spectrum, without faulty spectra."""

    job: IndexArray  # index of the job in the archive
    row: IndexArray
    object: IndexArray  # number of the object, the same for all its spectra
    object_id: list[str]
    other_id: list[str]
    survey: Texts
    label: Texts  # The true class; empty where it is not known.
    ra: FloatArray
    dec: FloatArray
    snr: FloatArray
    content: NDArray[np.int64]
    numbers: NDArray[np.float32]  # (spectra, features), NaN where not measurable
    is_measured: BoolArray

    def __len__(self) -> int:
        return int(self.row.size)

    @property
    def knows_truth(self) -> bool:
        return bool((self.label != "").any())


def sources_of(jobs: Sequence[FileJob], measured: pyarrow.Table) -> Sources:
    import pyarrow.compute as compute

    table = measured.filter(compute.equal(measured["fault"], ""))
    numbers = {job.path: number for number, job in enumerate(jobs)}
    job = np.array([numbers[path] for path in table["file"].to_pylist()], dtype=np.intp)
    row = table["row"].to_numpy().astype(np.intp)
    ra, dec, content = (table[name].to_numpy() for name in ("ra", "dec", "content"))
    object_id = table["object_id"].to_pylist()
    values = table["numbers"].combine_chunks()
    is_measured = values.is_valid().to_numpy(zero_copy_only=False)
    matrix = np.full((len(row), len(feature_names())), np.nan, dtype=np.float32)
    flat = values.flatten().to_numpy(zero_copy_only=False)
    matrix[is_measured] = flat.reshape(-1, matrix.shape[1])
    return Sources(
        job=job,
        row=row,
        object=object_numbers(ra, dec, content, object_id),
        object_id=object_id,
        other_id=table["other_id"].to_pylist(),
        survey=np.array(table["survey"].to_pylist(), dtype=np.str_),
        label=_labels(jobs, job, row),
        ra=ra,
        dec=dec,
        snr=table["snr"].to_numpy(),
        content=content,
        numbers=matrix,
        is_measured=is_measured,
    )


def best_of_each_object(sources: Sources, rule: SelectionRule) -> IndexArray:
    """The spectra that may be chosen: the one with the highest S/N of each object."""
    is_wanted = sources.is_measured & (sources.snr > rule.min_snr)
    if rule.survey:
        is_wanted &= sources.survey == rule.survey
    usable = np.flatnonzero(is_wanted)
    order = usable[np.lexsort((usable, -sources.snr[usable], sources.object[usable]))]
    _, first = np.unique(sources.object[order], return_index=True)
    return np.sort(order[first])


def faults_of(measured: pyarrow.Table) -> list[Mapping[str, object]]:
    """File, row and reason for each spectrum that cannot be used."""
    import pyarrow.compute as compute

    faulty = measured.filter(compute.not_equal(measured["fault"], ""))
    return list(faulty.select(["file", "row", "fault"]).to_pylist())


def _labels(jobs: Sequence[FileJob], job: IndexArray, row: IndexArray) -> Texts:
    """Labels of rows that are in the order of their jobs."""
    found = []
    for number, rows in groupby(zip(job.tolist(), row.tolist(), strict=True), itemgetter(0)):
        own = jobs[number]
        labels = {at: each.label for at, each in zip(own.rows, own.stated, strict=True)}
        found += [labels.get(at, "") for _, at in rows]
    return np.array(found, dtype=np.str_)


# Identifying spectra of the same object by position, by content, and as a last resort by name.
def object_numbers(
    ra: FloatArray, dec: FloatArray, content: NDArray[np.int64], names: Sequence[str]
) -> IndexArray:
    """A number for each spectrum, the same for friends of friends.

    Friends are spectra with positions within 3 arcsec, equal contents or, where a spectrum has no
    position, equal names.
    """
    is_placed = np.isfinite(ra) & np.isfinite(dec)
    joined = [
        _near(ra, dec, is_placed),
        _alike(content.tolist(), np.ones(content.size, dtype=np.bool_)),
        _alike(names, ~is_placed & np.array([bool(name) for name in names], dtype=np.bool_)),
    ]
    first, second = np.concatenate(joined, axis=1)
    links = coo_array((np.ones(first.size), (first, second)), shape=(ra.size, ra.size))
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.intp)


def nearest_within(ra: FloatArray, dec: FloatArray, of: FloatArray) -> BoolArray:
    """Whether each position is within 3 arcsec of a direction; False for an unknown one."""
    found = np.zeros(ra.size, dtype=np.bool_)
    is_placed = np.isfinite(ra) & np.isfinite(dec)
    if of.size and is_placed.any():
        places = unit_vectors(ra[is_placed], dec[is_placed])
        distance, _ = cKDTree(of).query(places, distance_upper_bound=chord(MATCH_ARCSEC))
        found[is_placed] = np.isfinite(distance)
    return found


def _near(ra: FloatArray, dec: FloatArray, is_placed: BoolArray) -> IndexArray:
    """Pairs (2, n) of neighbouring spectra; those at the same position are joined to the first."""
    which = np.flatnonzero(is_placed)
    if not which.size:
        return np.empty((2, 0), dtype=np.intp)
    positions, owner = np.unique(np.column_stack([ra, dec])[which], axis=0, return_inverse=True)
    same = _alike(owner.ravel().tolist(), np.ones(which.size, dtype=np.bool_))
    tree = cKDTree(unit_vectors(positions[:, 0], positions[:, 1]))
    if tree.count_neighbors(tree, chord(MATCH_ARCSEC)) > MAX_PAIRS:
        raise WorkbenchError(
            f"{which.size} positions are within {MATCH_ARCSEC:g} arcsec of each other: "
            "are they in degrees?"
        )
    pairs = tree.query_pairs(chord(MATCH_ARCSEC), output_type="ndarray")
    one_of = np.zeros(len(positions), dtype=np.intp)
    one_of[owner.ravel()] = which
    return np.concatenate([which[same], one_of[pairs.T]], axis=1)


def _alike(values: Sequence[object], counted: BoolArray) -> IndexArray:
    """Pairs (2, n) of each counted element with the first of the same value."""
    first: dict[object, int] = {}
    indices = np.flatnonzero(counted).tolist()
    pairs = [(first.setdefault(values[index], index), index) for index in indices]
    return np.array(pairs, dtype=np.intp).reshape(-1, 2).T


# Membership of the spectra in the catalogue of each class.
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
    of = unit_vectors(*np.array(positions, dtype=np.float64).reshape(-1, 2).T)
    by_position = nearest_within(sources.ra, sources.dec, of)
    ids = zip(sources.object_id, sources.other_id, strict=True)
    by_name = [first in names or second in names for first, second in ids]
    return by_position | np.array(by_name, dtype=np.bool_)
