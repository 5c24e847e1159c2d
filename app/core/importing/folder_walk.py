"""The spectra under a folder: bounded, in order, never leaving it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from app.core.importing.errors import ImportFailed, ImportStopped
from app.core.importing.suffixes import has_spectrum_suffix

MAX_FILES = 2_000_000
MAX_DEPTH = 40

ShouldStop = Callable[[], bool]
Progress = Callable[[int, int | None], object]
"""Called with how many are done and how many there are, about."""


def never() -> bool:
    return False


def silent(_: int, __: int | None) -> None:
    pass


def spectrum_files(root: Path, should_stop: ShouldStop = never) -> Iterator[tuple[str, str]]:
    """Folder and name of each file that is named like a spectrum, sorted; hidden ones left out.

    Folders behind symbolic links are not entered, and a linked file counts only where what it
    links to lies in the folder, too.
    """
    real = os.path.realpath(root)
    waiting = [(str(root.absolute()), 0)]
    seen = 0
    while waiting:
        folder, depth = waiting.pop()
        if should_stop():
            raise ImportStopped(f"the folder {root} was not searched to its end")
        names, folders = _listed(folder, real, is_root=depth == 0)
        seen += len(names) + len(folders)
        if seen > MAX_FILES:
            raise ImportFailed(f"{root} holds more than {MAX_FILES:,} files: give a list instead")
        yield from ((folder, name) for name in sorted(names))
        if depth < MAX_DEPTH:
            waiting += [(str(Path(folder, name)), depth + 1) for name in sorted(folders)[::-1]]


def _listed(folder: str, real: str, *, is_root: bool) -> tuple[list[str], list[str]]:
    """Names of spectra and of folders."""
    names, folders = [], []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith(".") or not _is_text(entry.name):
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
    """A regular file; one that is linked only where it really lies in one of these folders."""
    try:
        if not entry.is_symlink():
            return entry.is_file(follow_symlinks=False)
        target = os.path.realpath(entry.path)
        return Path(target).is_file() and any(lies_in(target, real) for real in reals)
    except OSError:
        return False


def lies_in(path: str, folder: str) -> bool:
    """By their names; both absolute and normal."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _is_text(name: str) -> bool:
    """Names that are no valid text cannot be kept."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
