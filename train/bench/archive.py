"""What lies in an archive: a folder of survey files, a list that names some, or a simulation.

A file is one job, with all its spectra that are asked for; what a list says of them comes along.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from sys import intern

from agent.checked_toml import printable
from agent.errors import WorkbenchError
from train.bench.tables import Row, number, place, read_rows
from train.simulate.archive import SETTINGS_FILE
from train.simulate.truth import CANDIDATES_FILE, TRUTH_FILE

MAX_FILES = 2_000_000
MAX_DEPTH = 40
NOT_SPECTRA = ("redrock-", "rrdetails-", "zbest-")
"""Companions of DESI's coadds: tables about the spectra in them."""
SUFFIXES = (
    ".fits", ".fit", ".fts", ".csv", ".txt", ".dat", ".asc", ".ascii", ".tsv", ".ecsv", ".vot",
    ".votable", ".xml",
)  # fmt: skip
LISTED = ("survey", "class_name", "subclass", "label", "subtype")


@dataclass(frozen=True, slots=True)
class StatedClass:
    """What a list says of a spectrum; empty or NaN where it says nothing."""

    object_id: str = ""
    ra: float = math.nan
    dec: float = math.nan
    snr: float = math.nan
    z: float = math.nan
    survey: str = ""
    class_name: str = ""
    subclass: str = ""
    label: str = ""
    """The truth, where it is known."""
    subtype: str = ""


NOTHING = StatedClass()


@dataclass(frozen=True, slots=True)
class FileJob:
    """A file, the spectra wanted of it and what is stated of each; no rows means all there are."""

    path: str
    rows: tuple[int, ...] = ()
    stated: tuple[StatedClass, ...] = ()
    refusal: str = ""
    """Why the file may not be opened."""


@dataclass(frozen=True)
class Archive:
    jobs: tuple[FileJob, ...]
    simulated: tuple[Path, ...]
    """Those of its places that are simulations with their truth."""


def open_archive(places: list[Path], spectra: Path | None = None) -> Archive:
    """Everything in these folders and lists; a file named twice is read once."""
    jobs: dict[str, FileJob] = {}
    simulated = []
    for each in places:
        if each.is_dir() and (each / CANDIDATES_FILE).is_file() and _is_simulated(each):
            found = _simulation(each)
            simulated += [each] if (each / TRUTH_FILE).is_file() else []
        elif each.is_dir():
            found = (FileJob(path) for path in spectrum_files(each))
        elif each.is_file():
            found = _listed(each, [each.parent, *([spectra] if spectra else [])])
        else:
            raise WorkbenchError(f"{each}: there is no such folder or list")
        for job in found:
            known = jobs.setdefault(job.path, job)
            if known is not job:
                jobs[job.path] = _joined(known, job)
    if not jobs:
        raise WorkbenchError(f"{', '.join(map(str, places))}: no spectra there")
    return Archive(tuple(jobs.values()), tuple(simulated))


def spectrum_files(root: Path) -> Iterator[str]:
    """Files named like spectra, sorted, hidden ones left out; links are not followed."""
    waiting = [(root, 0)]
    seen = 0
    while waiting:
        folder, depth = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            raise WorkbenchError(f"{folder}: cannot be read: {error.strerror}") from error
        seen += len(found)
        if seen > MAX_FILES:
            raise WorkbenchError(f"{root} holds more than {MAX_FILES:,} files: give a list instead")
        visible = [entry for entry in found if not entry.name.startswith(".")]
        yield from (
            entry.path
            for entry in visible
            if entry.is_file(follow_symlinks=False) and _is_spectrum(entry.name)
        )
        if depth < MAX_DEPTH:
            folders = [entry for entry in visible if entry.is_dir(follow_symlinks=False)]
            waiting += [(Path(entry.path), depth + 1) for entry in reversed(folders)]


def _is_spectrum(name: str) -> bool:
    low = name.lower().removesuffix(".gz")
    return low.endswith(SUFFIXES) and not low.startswith(NOT_SPECTRA)


def _is_simulated(folder: Path) -> bool:
    return (folder / TRUTH_FILE).is_file() or (folder / SETTINGS_FILE).is_file()


def _simulation(folder: Path) -> Iterator[FileJob]:
    """As its list of candidates has it; the truth brings labels alone."""
    truth: dict[tuple[str, str], tuple[str, str]] = {}
    if (folder / TRUTH_FILE).is_file():
        for row in read_rows(folder / TRUTH_FILE, ("file", "row", "label", "subtype")):
            label, subtype = row.get("label", ""), row.get("subtype", "")
            truth[row.get("file", ""), row.get("row", "")] = intern(label), intern(subtype)
    files: dict[str, list[tuple[int, StatedClass]]] = {}
    for row in read_rows(folder / CANDIDATES_FILE):
        name, at = row.get("file", ""), row.get("row", "")
        row["label"], row["subtype"] = truth.get((name, at), ("", ""))
        files.setdefault(name, []).append((_row_number(row), _stated(row)))
    for name, members in files.items():
        yield _job(name, [folder], members)


def _listed(path: Path, roots: list[Path]) -> Iterator[FileJob]:
    """The spectra a table names by file and, where it has one, row; or one file of spectra."""
    try:
        rows = [row for row in read_rows(path) if row.get("file")]
    except WorkbenchError:
        if not _is_spectrum(path.name):
            raise
        rows = []
    if not rows:
        raise WorkbenchError(
            f"{path} has no column that names files (file, path, filename); "
            "for a folder of spectra, give the folder"
        )
    files: dict[str, list[tuple[int, StatedClass]]] = {}
    for row in rows:
        files.setdefault(row["file"], []).append((_row_number(row), _stated(row)))
    for name, members in files.items():
        yield _job(name, roots, members)


def _row_number(row: Row) -> int:
    """A row from 0 or a TARGETID; -1 for text that is neither."""
    text = row.get("row", "")
    try:
        return int(text or 0)
    except ValueError:
        value = number(text)
        return int(value) if value == value else -1


def _stated(row: Row) -> StatedClass:
    ra, dec = place(row)
    return StatedClass(
        object_id=row.get("object_id", "")[:200],
        ra=ra,
        dec=dec,
        snr=number(row.get("snr")),
        z=number(row.get("z")),
        **{name: intern(row.get(name, "")[:80]) for name in LISTED},
    )


def _job(name: str, roots: list[Path], members: list[tuple[int, StatedClass]]) -> FileJob:
    path, refusal = _placed(name, roots)
    rows, stated = zip(*dict(members).items(), strict=True)
    return FileJob(path, rows, stated, refusal)


def _placed(name: str, roots: list[Path]) -> tuple[str, str]:
    """The file within the folders given, or why it is not used: a list is a stranger's word."""
    if "\0" in name or len(name) >= 4096:
        return printable(name, 100), "its name is no file's"
    real_roots = [root.resolve() for root in roots]
    inside = [
        path
        for root in roots
        if any((path := root / name).resolve().is_relative_to(real) for real in real_roots)
    ]
    if not inside:
        return name, "outside of the folders given: name its folder with --spectra"
    there = next((path for path in inside if path.is_file()), inside[0])
    return str(there), ""


def _joined(known: FileJob, other: FileJob) -> FileJob:
    """Two lists that name the same file: a list's word for a row over none, the first over both."""
    if not known.rows or not other.rows:
        return known if known.rows else other
    members = dict(zip(other.rows, other.stated, strict=True))
    members |= dict(zip(known.rows, known.stated, strict=True))
    return FileJob(known.path, tuple(members), tuple(members.values()), known.refusal)
