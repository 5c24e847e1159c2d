"""Proposes and checks the path of a new session."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_documents_path
from PySide6.QtCore import QCoreApplication

from app.core.database.database import SUFFIX
from app.core.importing.spectrum_files import stem_of
from app.ui.widgets.file_field import is_folder, is_there

MAX_TRIES = 1000


def suggested_session_path(list_path: Path) -> Path:
    """A free path next to the list or folder of spectra, or in Documents if that is read-only."""
    stem = list_path.name if list_path.is_dir() else _stem(list_path.name)
    folder = list_path.absolute().parent
    if not os.access(folder, os.W_OK):
        folder = user_documents_path()
        folder = folder if folder.is_dir() else Path.home()
    return free_path(folder / f"{stem or 'session'}{SUFFIX}")


def free_path(path: Path) -> Path:
    """`path` itself, or the first free of `night-2.speco3`, `night-3.speco3`, ..."""
    free = path
    for number in range(2, MAX_TRIES):
        if not is_there(free):
            return free
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return free


def session_path_problem(path: Path) -> str:
    """Why a session cannot be created at `path`, or ""."""
    if not path.name or path.name == SUFFIX:
        return QCoreApplication.translate("session_path", "Give the session file a name")
    if is_there(path):
        text = QCoreApplication.translate(
            "session_path", "{name} already exists: choose another name"
        )
        return text.replace("{name}", path.name)
    if not is_folder(path.parent):
        text = QCoreApplication.translate("session_path", "{folder} is not a folder")
        return text.replace("{folder}", str(path.parent))
    if not os.access(path.parent, os.W_OK):
        text = QCoreApplication.translate(
            "session_path", "{folder} is not writable: choose another folder"
        )
        return text.replace("{folder}", str(path.parent))
    return ""


def _stem(name: str) -> str:
    stem = stem_of(name)
    return Path(name).stem if stem == name else stem
