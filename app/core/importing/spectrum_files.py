"""Spectrum files: their suffixes, and a bounded, sorted walk over a folder."""

import os
from collections.abc import Iterator
from pathlib import Path

from app.core.errors import ImportFailed, ImportStopped
from app.core.progress import ShouldStop, never
from app.core.session.spectra_folders import is_within

MAX_FILES = 2_000_000
MAX_DEPTH = 40
STOP_EVERY = 1000

FITS = (".fits", ".fit", ".fts")
TEXT = (".csv", ".txt", ".dat", ".asc", ".ascii", ".tsv", ".ecsv", ".sed")
XML = (".vot", ".votable", ".xml")
PARQUET = (".parquet", ".pq")
SUFFIXES = (*FITS, *TEXT, *XML, *PARQUET)
_PACKED = tuple(f"{suffix}.gz" for suffix in SUFFIXES)


def has_spectrum_suffix(name: str) -> bool:
    return name.lower().endswith((*SUFFIXES, *_PACKED))


def stem_of(name: str) -> str:
    """The file name without its suffix and .gz."""
    low = name.lower()
    for suffix in (*_PACKED, *SUFFIXES):
        if low.endswith(suffix):
            return name[: -len(suffix)]
    return name


def find_spectrum_files(root: Path, should_stop: ShouldStop = never) -> Iterator[tuple[str, str]]:
    """Yield folder and name of each file with a spectrum suffix, sorted, without hidden files.

    Folders behind symbolic links are not entered, and a linked file counts only if its target is
    inside the folder too, so that a link cannot lead out of it.
    """
    real = os.path.realpath(root)
    to_visit = [(str(root.absolute()), 0)]
    file_count = 0
    while to_visit:
        folder, depth = to_visit.pop()
        names, folders = _scan_folder(folder, real, should_stop, is_root=depth == 0)
        file_count += len(names) + len(folders)
        if file_count > MAX_FILES:
            raise ImportFailed(
                f"{root} contains more than {MAX_FILES:,} files: import a list instead"
            )
        yield from ((folder, name) for name in sorted(names))
        if depth < MAX_DEPTH:
            to_visit += [(str(Path(folder, name)), depth + 1) for name in sorted(folders)[::-1]]


def _scan_folder(
    folder: str, real: str, should_stop: ShouldStop, *, is_root: bool
) -> tuple[list[str], list[str]]:
    names, folders = [], []
    try:
        with os.scandir(folder) as entries:
            for number, entry in enumerate(entries):
                if number % STOP_EVERY == 0 and should_stop():
                    raise ImportStopped(f"the search of the folder {folder} was stopped")
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                elif has_spectrum_suffix(entry.name) and is_file_inside(entry, real):
                    names.append(entry.name)
    except OSError as error:
        if is_root:
            raise ImportFailed(f"{folder} cannot be read: {error.strerror}") from error
    return names, folders


def is_file_inside(entry: os.DirEntry[str], *reals: str) -> bool:
    """Whether it is a regular file, or a link to one inside one of the real folders `reals`."""
    try:
        if not entry.is_symlink():
            return entry.is_file(follow_symlinks=False)
        target = os.path.realpath(entry.path)
        return Path(target).is_file() and any(is_within(target, real) for real in reals)
    except OSError:
        return False
