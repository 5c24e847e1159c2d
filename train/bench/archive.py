"""The spectra of an archive: a folder of survey files, a list that names some, or a simulation.

The folders of a folder may be named after classes, and a list may have a column of labels.

Each file is one job with all its wanted spectra and the values that a list states about them.
"""

import math
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from sys import intern

from agent.checked_toml import printable
from agent.errors import WorkbenchError, read_errors
from train.bench.published_rows import known_tasks
from train.bench.tables import Row, number, position_of, read_rows
from train.simulate.archive import SETTINGS_FILE
from train.simulate.truth import CANDIDATES_FILE, TRUTH_FILE

MAX_FILES = 2_000_000
MAX_DEPTH = 40
NOT_SPECTRA = ("redrock-", "rrdetails-", "zbest-")
"""Companions of DESI coadds: tables about the spectra in them."""
SUFFIXES = (
    ".fits", ".fit", ".fts", ".csv", ".txt", ".dat", ".asc", ".ascii", ".tsv", ".ecsv", ".vot",
    ".votable", ".xml",
)  # fmt: skip
LISTED = ("survey", "class_name", "subclass", "label", "subtype")
MAX_FOLDERS = 500


@dataclass(frozen=True, slots=True)
class ListedValues:
    """Values that a list states about a spectrum; empty or NaN where it has none."""

    object_id: str = ""
    ra: float = math.nan
    dec: float = math.nan
    snr: float = math.nan
    z: float = math.nan
    survey: str = ""
    class_name: str = ""
    subclass: str = ""
    label: str = ""  # the true class, where it is known
    subtype: str = ""


NO_VALUES = ListedValues()


@dataclass(frozen=True, slots=True)
class FileJob:
    """A file, the wanted rows and the values stated about each; no rows means all rows."""

    path: str
    rows: tuple[int, ...] = ()
    stated: tuple[ListedValues, ...] = ()
    refusal: str = ""  # reason why the file may not be opened


@dataclass(frozen=True)
class Archive:
    jobs: tuple[FileJob, ...]
    simulated: tuple[Path, ...]  # the folders that are simulations with a truth table

    @property
    def is_labelled(self) -> bool:
        """Whether the true class of some spectra is known."""
        return any(stated.label for job in self.jobs for stated in job.stated)


def open_archive(paths: list[Path], spectra: Path | None = None) -> Archive:
    """All spectra in these folders and lists; a file that is named twice is read once."""
    jobs: dict[str, FileJob] = {}
    simulated = []
    for each in paths:
        has_truth = (each / TRUTH_FILE).is_file()
        if (each / CANDIDATES_FILE).is_file() and (has_truth or (each / SETTINGS_FILE).is_file()):
            listed = _simulation(each)
            simulated += [each] if has_truth else []
        elif each.is_dir():
            listed = _files(each)
        elif each.is_file():
            listed = _listed(each, [each.parent, *([spectra] if spectra else [])])
        else:
            raise WorkbenchError(f"{each}: no such folder or list")
        for job in listed:
            known = jobs.setdefault(job.path, job)
            if known is not job:
                jobs[job.path] = _joined(known, job)
    if not jobs:
        raise WorkbenchError(f"{', '.join(map(str, paths))}: no spectra found")
    return Archive(tuple(jobs.values()), tuple(simulated))


def _files(root: Path) -> Iterator[FileJob]:
    """The files of a folder, labelled by the folder of their class, if that is how it is made."""
    labels = class_folders(root)
    for path in spectrum_files(root):
        label = labels.get(Path(path).relative_to(root).parts[0], "")
        # A file in the folder of a class has one spectrum.
        yield FileJob(path, (0,), (ListedValues(label=label),)) if label else FileJob(path)


def spectrum_files(root: Path) -> Iterator[str]:
    """Files named like spectra, sorted; hidden files are skipped and links not followed."""
    waiting = [(root, 0)]
    seen = 0
    while waiting:
        folder, depth = waiting.pop()
        with read_errors(folder), os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        seen += len(found)
        if seen > MAX_FILES:
            raise WorkbenchError(f"{root} has more than {MAX_FILES:,} files: give a list instead")
        visible = [entry for entry in found if not entry.name.startswith(".")]
        files = [entry for entry in visible if entry.is_file(follow_symlinks=False)]
        yield from (entry.path for entry in files if _is_spectrum(entry.name))
        if depth < MAX_DEPTH:
            folders = [entry for entry in visible if entry.is_dir(follow_symlinks=False)]
            waiting += [(Path(entry.path), depth + 1) for entry in reversed(folders)]


def _is_spectrum(name: str) -> bool:
    low = name.lower().removesuffix(".gz")
    return low.endswith(SUFFIXES) and not low.startswith(NOT_SPECTRA)


def _simulation(folder: Path) -> Iterator[FileJob]:
    """The spectra of a simulation by its candidate list; the truth table only adds labels."""
    truth: dict[tuple[str, str], tuple[str, str]] = {}
    if (folder / TRUTH_FILE).is_file():
        for row in read_rows(folder / TRUTH_FILE, ("file", "row", "label", "subtype")):
            label, subtype = row.get("label", ""), row.get("subtype", "")
            truth[row.get("file", ""), row.get("row", "")] = intern(label), intern(subtype)

    def told(row: Row) -> Row:
        at = row.get("file", ""), row.get("row", "")
        row["label"], row["subtype"] = truth.get(at, ("", ""))
        return row

    yield from _jobs(map(told, read_rows(folder / CANDIDATES_FILE)), [folder])


def _listed(path: Path, roots: list[Path]) -> Iterator[FileJob]:
    """The spectra that a table names by file and, if it has that column, row."""
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
    for row in rows:
        row["label"] = label_of(row.get("label", ""))
    yield from _jobs(rows, roots)


def _row_number(row: Row) -> int:
    """A row number from 0 or a TARGETID; -1 for other text."""
    text = row.get("row", "")
    try:
        return int(text or 0)
    except ValueError:
        value = number(text)
        return int(value) if value == value else -1


def _stated(row: Row) -> ListedValues:
    ra, dec = position_of(row)
    return ListedValues(
        object_id=row.get("object_id", "")[:200],
        ra=ra,
        dec=dec,
        snr=number(row.get("snr")),
        z=number(row.get("z")),
        **{name: intern(row.get(name, "")[:80]) for name in LISTED},
    )


def _jobs(rows: Iterable[Row], roots: list[Path]) -> Iterator[FileJob]:
    """A job for each file that the rows name; of two about the same spectrum the last counts."""
    files: dict[str, dict[int, ListedValues]] = {}
    for row in rows:
        files.setdefault(row.get("file", ""), {})[_row_number(row)] = _stated(row)
    for name, members in files.items():
        path, refusal = _located(name, roots)
        yield FileJob(path, tuple(members), tuple(members.values()), refusal)


def _located(name: str, roots: list[Path]) -> tuple[str, str]:
    """The path of a file within the folders, or the reason why it is not used.

    Lists come from others, so they must not lead to files outside the folders.
    """
    if "\0" in name or len(name) >= 4096:
        return printable(name, 100), "not a valid file name"
    real_roots = [root.resolve() for root in roots]
    paths = [root / name for root in roots]
    inside = [path for path in paths if any(map(path.resolve().is_relative_to, real_roots))]
    if not inside:
        return name, "outside the given folders: name its folder with --spectra"
    existing = next((path for path in inside if path.is_file()), inside[0])
    return str(existing), ""


def _joined(known: FileJob, other: FileJob) -> FileJob:
    """One job for a file named twice; listed rows take precedence, those of the first list most."""
    if not known.rows or not other.rows:
        return known if known.rows else other
    members = dict(zip(other.rows, other.stated, strict=True))
    members |= dict(zip(known.rows, known.stated, strict=True))
    return FileJob(known.path, tuple(members), tuple(members.values()), known.refusal)


# Archives that say the class of each spectrum: by its folder, or in a list.
def label_of(text: str) -> str:
    """The task that a label names, such as CS for `Carbon stars`; any other label as it is."""
    names, _ = known_tasks()
    plain = re.sub(r"[\W_]", "", text.casefold())
    found = next((names[each] for each in (plain, plain.removesuffix("s")) if each in names), "")
    return intern(found or printable(text, 80))


def class_folders(root: Path) -> dict[str, str]:
    """The labels of the folders in `root`, by name, if one of them has the name of a class."""
    names, _ = known_tasks()
    found = {}
    for each in root.iterdir():
        if each.is_dir() and not each.is_symlink() and not each.name.startswith("."):
            found[each.name] = label_of(each.name)
        if len(found) > MAX_FOLDERS:
            return {}
    return found if set(found.values()) & {*names.values()} else {}
