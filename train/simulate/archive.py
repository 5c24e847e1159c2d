"""A campaign on disk: its files and tables, and the settings needed to resume it."""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import numpy as np

from agent.atomic_file import atomic_file
from agent.errors import WorkbenchError, write_errors
from agent.program_version import program_version
from agent.spectra.spectrum import MAX_PIXELS, Spectrum
from train.parallel import in_order
from train.simulate.campaign import Assignment, Settings, assignments
from train.simulate.layouts import atlas, desi, lamost, sdss
from train.simulate.production import SimulatedSpectrum, simulate_spectrum
from train.simulate.telescope.surveys import ATLAS
from train.simulate.truth import TableRows, Tables, table_rows

SETTINGS_FILE = "simulation.json"
FILES_PER_FOLDER = 1000
SPECTRA_PER_SHARD = 500
MAX_SHARD_BYTES = 1_000_000_000


Job = tuple[Assignment, ...]  # the spectra of one file


def jobs_of(settings: Settings) -> list[Job]:
    """Jobs in the order of their first number; a DESI file holds several targets, a shard many."""
    plan = assignments(settings)
    if settings.arrays:
        return _jobs(plan, SPECTRA_PER_SHARD)
    shared = [one for one in plan if one.survey == "DESI"]
    alone = [one for one in plan if one.survey != "DESI"]
    jobs = _jobs(alone, 1) + _jobs(shared, desi.TARGETS_PER_FILE)
    return sorted(jobs, key=lambda job: job[0].index)


def _jobs(members: Sequence[Assignment], step: int) -> list[Job]:
    return [tuple(members[i : i + step]) for i in range(0, len(members), step)]


def run_job(folder: Path, settings: Settings, job: Job) -> list[TableRows]:
    made = [simulate_spectrum(settings, member) for member in job]
    if settings.arrays:
        name = f"arrays-{job[0].index // SPECTRA_PER_SHARD:05d}.npz"
        write_shard(folder / name, made)
    else:
        name = _write_fits(folder, settings, made)
    return [table_rows(one, name, row) for row, one in enumerate(made)]


def _write_fits(folder: Path, settings: Settings, made: Sequence[SimulatedSpectrum]) -> str:
    entries = [one.entry for one in made]
    first, survey = entries[0], entries[0].observation.survey
    layout = {"LAMOST": lamost, "DESI": desi, ATLAS: atlas}.get(survey, sdss)
    name = layout.file_name(first) + (".gz" if settings.gzip else "")
    folder_name = f"spectra/{first.target.index // FILES_PER_FOLDER:03d}"
    (folder / folder_name).mkdir(parents=True, exist_ok=True)
    path = folder / folder_name / name
    layout.write(path, entries if survey == "DESI" else first)
    return f"{folder_name}/{name}"


def run_campaign(
    folder: Path, settings: Settings, workers: int = 1, advance: Callable[[int], None] | None = None
) -> int:
    """Simulate the missing spectra and return how many were made.

    `advance` receives the number of new spectra; its first call counts those of an earlier run.
    """
    jobs, tables = jobs_of(settings), Tables(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _claim(folder, settings)
        # Whole jobs alone are done, and the rows in them.
        ends = [0, *accumulate(map(len, jobs))]
        done = bisect_right(ends, tables.rows_done()) - 1
        rows = ends[done]
        tables.keep(rows)
    except OSError as error:
        raise WorkbenchError(f"cannot use {folder}: {error.strerror or error}") from error
    advance = advance or (lambda _: None)
    advance(rows)
    made = 0
    missing = jobs[done:]
    for lines in in_order(partial(run_job, folder, settings), missing, min(workers, len(missing))):
        tables.append(lines)
        advance(len(lines))
        made += len(lines)
    return made


def _claim(folder: Path, settings: Settings) -> None:
    """Write the settings, or refuse a folder that holds a campaign with different ones."""
    path = folder / SETTINGS_FILE
    current = {"settings": settings.as_json(), "version": program_version()}
    text = json.dumps(current, indent=1)
    if path.is_file():
        try:
            existing = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise WorkbenchError(
                f"{path} is damaged: remove it or choose another folder"
            ) from error
        if existing != json.loads(text):
            raise WorkbenchError(
                f"{folder} holds a simulation with other settings (see {path.name}): "
                "choose another folder, or use the same settings to resume it"
            )
        return
    path.write_text(text + "\n", encoding="utf-8")


# Files of many spectra as plain arrays, for training. A shard is an .npz without pickles: `flux`,
# `ivar` and `wavelength` (float32) of its spectra joined end to end, `offsets` (first pixel of
# each, then the total) and `index` (number in the campaign).
def write_shard(path: Path, made: Sequence[SimulatedSpectrum]) -> None:
    """Write a shard; `ivar` is 0 throughout where the imitated file states no errors."""
    seen = [one.entry.observation for one in made]
    sizes = [one.flux.size for one in seen]
    with write_errors(path), atomic_file(path) as file:
        np.savez(
            file,
            flux=np.concatenate([one.flux for one in seen]).astype(np.float32),
            ivar=np.concatenate([one.ivar * one.errors_known for one in seen]).astype(np.float32),
            wavelength=np.concatenate([one.wavelength for one in seen]).astype(np.float32),
            offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            index=np.array([one.entry.target.index for one in made], dtype=np.int64),
        )


def read_shard(path: Path) -> Iterator[Spectrum]:
    """The spectra of a shard in the order of their rows."""
    try:
        with ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > MAX_SHARD_BYTES:
            raise WorkbenchError(f"{path} unpacks to {size} bytes: too much for a shard")
        with np.load(path, allow_pickle=False) as shard:
            flux, ivar, wavelength = shard["flux"], shard["ivar"], shard["wavelength"]
            offsets = shard["offsets"]
    except (OSError, KeyError, ValueError, BadZipFile) as error:
        raise WorkbenchError(f"{path} is not a shard of simulated spectra: {error}") from error
    if not (flux.size == ivar.size == wavelength.size):
        raise WorkbenchError(f"{path}: the arrays differ in length")
    for row, (start, stop) in enumerate(pairwise(offsets.tolist())):
        if not 0 <= start < stop <= flux.size or stop - start > MAX_PIXELS:
            raise WorkbenchError(f"{path}: the offsets do not fit the arrays")
        errors = ivar[start:stop]
        yield Spectrum(
            wavelength=wavelength[start:stop].astype(np.float64),
            flux=flux[start:stop],
            ivar=errors if errors.any() else None,
            format="simulated",
            path=str(path),
            row=row,
            rows=offsets.size - 1,
            simulated=True,
        )
