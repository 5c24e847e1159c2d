"""The archive measured by several processes, in bounded memory, and not twice.

What was measured lies in Parquet parts beside the sets. A file is read again only where its size
or date differ from those of its part, or where more of it is wanted than was measured then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from agent.errors import WorkbenchError
from agent.spectra.measure.features import feature_names
from train.bench.archive import NOTHING, FileJob
from train.bench.looking import Facts, Rule, look, mark_of, stamp_of
from train.parallel import in_order

if TYPE_CHECKING:
    import pyarrow

ROWS_PER_PART = 2000
VERSION = "1"
MARK = b"spec_o3_measured"


def measure(
    jobs: Sequence[FileJob],
    rule: Rule,
    folder: Path,
    workers: int = 1,
    advance: Callable[[int], None] = lambda files: None,
) -> pyarrow.Table:
    """Every spectrum of the jobs in their order, a row each. `folder` keeps what is measured."""
    import pyarrow

    folder.mkdir(parents=True, exist_ok=True)
    kept = _kept(folder)
    known = _Known(kept)
    missing = [job for job in jobs if not known.holds(job, rule)]
    advance(len(jobs) - len(missing))
    parts = [kept]
    for facts in _batches(in_order(partial(look, rule), missing, workers), advance):
        part = pyarrow.Table.from_pylist(facts, schema=schema())
        _write(part, folder)
        parts.append(part)
    whole = pyarrow.concat_tables(parts)
    return whole.take(_wanted(jobs, _places(whole)))


def schema() -> pyarrow.Schema:
    import pyarrow

    texts = [pyarrow.field(name, pyarrow.string()) for name in ("file", "fault")]
    wholes = [pyarrow.field(name, pyarrow.int64()) for name in ("size", "changed", "row", "stated")]
    names = [pyarrow.field(n, pyarrow.string()) for n in ("object_id", "other_id", "survey")]
    reals = [pyarrow.field(name, pyarrow.float64()) for name in ("ra", "dec", "snr")]
    numbers = pyarrow.list_(pyarrow.float32(), len(feature_names()))
    rest = [pyarrow.field("content", pyarrow.int64()), pyarrow.field("numbers", numbers)]
    fingerprint = " ".join((VERSION, *feature_names()))
    return pyarrow.schema([*texts, *wholes, *names, *reals, *rest], metadata={MARK: fingerprint})


def _kept(folder: Path) -> pyarrow.Table:
    """The parts of earlier runs; those that another version wrote, or that are cut off, are not
    used."""
    import pyarrow
    import pyarrow.parquet as parquet

    wanted = schema()
    parts = [wanted.empty_table()]
    for path in sorted(folder.glob("part-*.parquet")):
        try:
            with parquet.ParquetFile(path) as file:
                if (file.schema_arrow.metadata or {}).get(MARK) == wanted.metadata[MARK]:
                    parts.append(file.read().cast(wanted))
        except (OSError, ValueError, pyarrow.ArrowException):
            continue
    return pyarrow.concat_tables(parts)


def _places(table: pyarrow.Table) -> dict[str, dict[int, int]]:
    """Where the rows of each file stand; of a file read twice, the last reading counts."""
    found: dict[str, dict[int, int]] = {}
    stamps: dict[str, tuple[int, int]] = {}
    names = ("file", "row", "size", "changed")
    columns = (table[name].to_pylist() for name in names)
    for place, (file, row, size, changed) in enumerate(zip(*columns, strict=True)):
        if stamps.setdefault(file, (size, changed)) != (size, changed):
            stamps[file] = size, changed
            found[file] = {}
        found.setdefault(file, {})[row] = place
    return found


class _Known:
    """What earlier runs measured."""

    def __init__(self, kept: pyarrow.Table) -> None:
        import pyarrow.compute as compute

        self._places = _places(kept)
        names = ("size", "changed", "stated", "snr")
        self._size, self._changed, self._stated, self._snr = (
            kept[name].to_numpy() for name in names
        )
        self._survey = kept["survey"].to_pylist()
        is_faulty = compute.not_equal(kept["fault"], "").to_numpy()
        self._is_complete = is_faulty | kept["numbers"].is_valid().to_numpy()

    def holds(self, job: FileJob, rule: Rule) -> bool:
        """Whether all that is wanted of a file is there and the file is as it was."""
        places = self._places.get(job.path, {})
        if not places or job.refusal or any(row not in places for row in job.rows):
            return False
        stated = dict(zip(job.rows, job.stated, strict=True))
        rows = job.rows or tuple(places)
        stamp = stamp_of(job.path)
        return all(
            self._serves(places[row], stamp, mark_of(stated.get(row, NOTHING)), rule)
            for row in rows
        )

    def _serves(self, place: int, stamp: tuple[int, int], mark: int, rule: Rule) -> bool:
        seen = self._size[place], self._changed[place], self._stated[place]
        if seen != (*stamp, mark):
            return False
        wants = rule.measures(self._survey[place], float(self._snr[place]))
        return bool(self._is_complete[place]) or not wants


def _batches(
    results: Iterator[list[Facts]], advance: Callable[[int], None]
) -> Iterator[list[Facts]]:
    batch: list[Facts] = []
    for facts in results:
        batch += facts
        advance(1)
        if len(batch) >= ROWS_PER_PART:
            yield batch
            batch = []
    if batch:
        yield batch


def _write(part: pyarrow.Table, folder: Path) -> None:
    import pyarrow.parquet as parquet

    number = 1 + max(
        (int(path.stem.rpartition("-")[2]) for path in folder.glob("part-*.parquet")), default=-1
    )
    path = folder / f"part-{number:05d}.parquet"
    writing = path.with_name(f".{path.name}.part")
    try:
        parquet.write_table(part, writing, compression="zstd")
        writing.replace(path)
    except OSError as error:
        raise WorkbenchError(f"cannot write {path}: {error.strerror or error}") from error


def _wanted(jobs: Sequence[FileJob], places: dict[str, dict[int, int]]) -> np.ndarray:
    found = []
    for job in jobs:
        there = places.get(job.path, {})
        found += [there[row] for row in job.rows or sorted(there) if row in there]
    return np.array(found, dtype=np.int64)
