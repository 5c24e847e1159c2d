"""Measuring an archive in several processes, in bounded memory, with a cache on disk.

Measurements are stored in Parquet parts beside the sets. A file is read again only if its size or
date has changed, or if more of it is wanted than was measured before.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from agent.atomic_file import atomic_path
from agent.errors import WorkbenchError, write_errors
from agent.spectra.measure.features import feature_names, feature_vector
from agent.spectra.measure.noise import signal_to_noise
from agent.spectra.readers import read_numbered
from agent.spectra.spectrum import Spectrum
from train.bench.archive import NO_VALUES, FileJob, ListedValues
from train.parallel import Workers, in_order
from train.simulate.archive import read_shard

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


# First pass: read every spectrum of a file once and collect its facts and measurements.
MAX_ROWS = 100_000  # most rows that are read of a file without a list of its rows
SAME_SURVEY = {"BOSS": "SDSS", "EBOSS": "SDSS", "SDSS-II": "SDSS"}
Facts = dict[str, Any]  # one spectrum as a row of the table of measuring.schema()


@dataclass(frozen=True)
class SelectionRule:
    """Which spectra are measured; only the facts of the others are kept."""

    survey: str  # empty for any survey
    min_snr: float

    def measures(self, survey: str, snr: float) -> bool:
        return snr > self.min_snr and self.survey in ("", survey)


def facts_of_file(rule: SelectionRule, job: FileJob) -> list[Facts]:
    """A row per spectrum; one that cannot be read or measured gives a row with a fault."""
    stamp = file_stamp(job.path)
    if job.refusal or stamp == (0, 0):
        reason = job.refusal or "no such file"
        return [_faulty(job.path, stamp, row, reason) | {"stated": 0} for row in job.rows or (0,)]
    found = []
    for row, stated, spectrum in spectra(job):
        if isinstance(spectrum, str):
            facts = _faulty(job.path, stamp, row, spectrum)
        else:
            try:
                facts = _facts(job.path, stamp, row, merged(spectrum, stated), rule)
            except (WorkbenchError, ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
                fault = f"cannot be measured: {type(error).__name__}: {error}"
                facts = _faulty(job.path, stamp, row, fault)
        found.append(facts | {"stated": digest_of(stated)})
    return found


def spectra(job: FileJob) -> Iterator[tuple[int, ListedValues, Spectrum | str]]:
    """Row, stated values and spectrum, or the reason why it cannot be read."""
    read = _of_shard if Path(job.path).suffix == ".npz" else _of_file
    for row, stated in zip(job.rows, job.stated, strict=True):
        yield row, stated, read(job.path, row)
    if not job.rows:
        first = read(job.path, 0)
        yield 0, NO_VALUES, first
        in_file = 1 if isinstance(first, str) or read is _of_shard else first.rows
        for row in range(1, min(in_file, MAX_ROWS)):
            yield row, NO_VALUES, read(job.path, row)


def merged(spectrum: Spectrum, stated: ListedValues) -> Spectrum:
    """The spectrum with values from the list where the file states none."""
    is_placed = spectrum.ra is not None and spectrum.dec is not None
    survey = spectrum.survey or stated.survey
    return replace(
        spectrum,
        ra=spectrum.ra if is_placed else _or_none(stated.ra),
        dec=spectrum.dec if is_placed else _or_none(stated.dec),
        object_id=spectrum.object_id or stated.object_id,
        survey=SAME_SURVEY.get(survey.upper(), survey),
        snr=_or_none(stated.snr) if spectrum.snr is None else spectrum.snr,
        z=_or_none(stated.z) if spectrum.z is None else spectrum.z,
        class_name=spectrum.class_name or stated.class_name,
        subclass=spectrum.subclass or stated.subclass,
    )


def content_of(spectrum: Spectrum) -> int:
    """A hash of the fluxes, equal for the same spectrum in any file and format."""
    return _number_of(np.ascontiguousarray(spectrum.flux, dtype="<f4").tobytes())


def digest_of(stated: ListedValues) -> int:
    """A hash of the stated values; spectra are measured again when these change."""
    return _number_of(repr(stated).encode())


def _number_of(content: bytes) -> int:
    return int.from_bytes(hashlib.sha256(content).digest()[:8], "little", signed=True)


def file_stamp(path: str) -> tuple[int, int]:
    """Size and modification time, on a change of which a file is read again; zeros if missing."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return 0, 0
    return status.st_size, status.st_mtime_ns


def _of_file(path: str, row: int) -> Spectrum | str:
    try:
        return read_numbered(path, row) if row >= 0 else "no row of that number"
    except WorkbenchError as error:
        return str(error)


def _of_shard(path: str, row: int) -> Spectrum | str:
    try:
        members = _shard(path, file_stamp(path))
    except WorkbenchError as error:
        return str(error)
    if not 0 <= row < len(members):
        return f"no row {row} in {len(members)}"
    # Pictures are titled by file name, so each spectrum of a shard needs its own.
    return replace(members[row], path=f"{Path(path).stem}-{row:04d}")


@lru_cache(maxsize=1)
def _shard(path: str, stamp: tuple[int, int]) -> list[Spectrum]:
    return list(read_shard(Path(path)))


def _facts(
    path: str, stamp: tuple[int, int], row: int, seen: Spectrum, rule: SelectionRule
) -> Facts:
    snr = seen.snr
    if snr is None:
        snr = signal_to_noise(seen).value or 0.0
    numbers = None
    if rule.measures(seen.survey, snr):
        with np.errstate(all="ignore"):
            numbers = np.array(list(feature_vector(seen).values()), dtype=np.float32)
    return _row(path, stamp, row) | {
        "object_id": seen.object_id,
        "other_id": str(seen.meta.get("OBSID") or seen.meta.get("TARGETID") or ""),
        "survey": seen.survey,
        "ra": math.nan if seen.ra is None else seen.ra,
        "dec": math.nan if seen.dec is None else seen.dec,
        "snr": float(snr),
        "content": content_of(seen),
        "numbers": numbers,
    }


def _row(path: str, stamp: tuple[int, int], row: int) -> Facts:
    return {"file": path, "size": stamp[0], "changed": stamp[1], "row": row, "fault": ""}


def _faulty(path: str, stamp: tuple[int, int], row: int, fault: str) -> Facts:
    nothing = {"ra": math.nan, "dec": math.nan, "snr": math.nan, "content": 0, "numbers": None}
    texts = {"object_id": "", "other_id": "", "survey": ""}
    return _row(path, stamp, row) | texts | nothing | {"fault": fault[:300] or "not readable"}


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
