"""Measuring an archive in several processes, in bounded memory, with a cache on disk.

Measurements are stored in Parquet parts beside the sets. A file is read again only if its size or
date has changed, or if more of it is wanted than was measured before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from agent.atomic_file import atomic_path
from agent.errors import write_errors
from agent.spectra.measure.features import feature_names
from train.bench.archive import NO_VALUES, FileJob
from train.bench.spectrum_facts import Facts, SelectionRule, digest_of, facts_of_file, file_stamp
from train.parallel import Workers, in_order

if TYPE_CHECKING:
    import pyarrow

ROWS_PER_PART = 2000
VERSION = "1"
MARK = b"spec_o3_measured"


def measure(
    jobs: Sequence[FileJob],
    rule: SelectionRule,
    folder: Path,
    workers: Workers = 1,
    advance: Callable[[int], None] = lambda files: None,
) -> pyarrow.Table:
    """A row for every spectrum of the jobs, in their order; `folder` holds the cache."""
    import pyarrow

    folder.mkdir(parents=True, exist_ok=True)
    kept = _kept(folder)
    missing = _unmeasured(jobs, kept, rule)
    advance(len(jobs) - len(missing))
    parts = [kept]
    for facts in _batches(in_order(partial(facts_of_file, rule), missing, workers), advance):
        part = pyarrow.Table.from_pylist(facts, schema=schema())
        _write(part, folder)
        parts.append(part)
    whole = pyarrow.concat_tables(parts)
    rows_by_file = _row_indices(whole)
    wanted: list[int] = []
    for job in jobs:
        rows = rows_by_file.get(job.path, {})
        wanted += [rows[row] for row in job.rows or sorted(rows) if row in rows]
    return whole.take(np.array(wanted, dtype=np.int64))


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
    """The parts of earlier runs, without those that are cut off or from another version."""
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


def _row_indices(table: pyarrow.Table) -> dict[str, dict[int, int]]:
    """Indices in the table of the rows of each file; the last reading of a file counts."""
    found: dict[str, dict[int, int]] = {}
    stamps: dict[str, tuple[int, int]] = {}
    names = ("file", "row", "size", "changed")
    columns = (table[name].to_pylist() for name in names)
    for row_index, (file, row, size, changed) in enumerate(zip(*columns, strict=True)):
        if stamps.setdefault(file, (size, changed)) != (size, changed):
            stamps[file] = size, changed
            found[file] = {}
        found.setdefault(file, {})[row] = row_index
    return found


def _unmeasured(jobs: Sequence[FileJob], kept: pyarrow.Table, rule: SelectionRule) -> list[FileJob]:
    """The jobs whose file has changed, or of which a wanted row is not measured."""
    import pyarrow.compute as compute

    row_indices = _row_indices(kept)
    names = ("size", "changed", "stated", "snr")
    size, changed, mark, snr = (kept[name].to_numpy() for name in names)
    survey = kept["survey"].to_pylist()
    is_faulty = compute.not_equal(kept["fault"], "").to_numpy()
    is_complete = is_faulty | kept["numbers"].is_valid().to_numpy()

    def is_measured(job: FileJob) -> bool:
        indices = row_indices.get(job.path, {})
        if not indices or job.refusal or any(row not in indices for row in job.rows):
            return False
        stated = dict(zip(job.rows, job.stated, strict=True))
        stamp = file_stamp(job.path)
        for row in job.rows or indices:
            at, wanted = indices[row], (*stamp, digest_of(stated.get(row, NO_VALUES)))
            if (size[at], changed[at], mark[at]) != wanted:
                return False
            if rule.measures(survey[at], float(snr[at])) and not is_complete[at]:
                return False
        return True

    return [job for job in jobs if not is_measured(job)]


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

    taken = (int(path.stem.rpartition("-")[2]) for path in folder.glob("part-*.parquet"))
    path = folder / f"part-{max(taken, default=-1) + 1:05d}.parquet"
    with write_errors(path), atomic_path(path) as unfinished:
        parquet.write_table(part, unfinished, compression="zstd")
