"""The folders in which a list may name spectra by absolute paths, as a person allowed it once.

Kept beside the settings by the place of the list, in another file than what sessions may read: a
session from somebody else may have any identifier.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from app.core.session.folder_names import summarized
from app.core.session.remembered_folders import read_folders, save_folders

FILE = "list_folders.json"


def allow_list_folders(list_path: Path, folders: Iterable[str]) -> None:
    """Remember that the list at this place may name spectra in these folders."""
    known = read_folders(FILE)
    before = known.pop(str(list_path), [])
    wanted = list(summarized([*before, *folders]))
    if wanted and wanted != before:
        save_folders(FILE, {**known, str(list_path): wanted})


def list_folders(list_path: Path) -> tuple[str, ...]:
    """The folders in which the list at this place may name spectra."""
    return tuple(read_folders(FILE).get(str(list_path), ()))
