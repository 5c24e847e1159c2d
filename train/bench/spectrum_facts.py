"""First pass: read every spectrum of a file once and collect its facts and measurements."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from agent.errors import WorkbenchError
from agent.spectra.measure.features import feature_vector
from agent.spectra.measure.noise import signal_to_noise
from agent.spectra.readers import read_numbered
from agent.spectra.spectrum import Spectrum
from train.bench.archive import NO_VALUES, FileJob, ListedValues
from train.simulate.archive import read_shard

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
