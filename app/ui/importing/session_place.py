"""Where a new session goes: beside its list, under a name that is free."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_documents_path
from PySide6.QtCore import QCoreApplication

from app.core.database.database import SUFFIX
from app.core.importing.suffixes import stem_of
from app.ui.widgets.typed_paths import is_folder, is_there

MAX_TRIES = 1000


def session_place(listed: Path) -> Path:
    """Of a folder of spectra: beside the folder. Where nothing can be written there: among the
    user's documents."""
    stem = listed.name if listed.is_dir() else _stem(listed.name)
    home = listed.absolute().parent
    if not os.access(home, os.W_OK):
        home = user_documents_path()
        home = home if home.is_dir() else Path.home()
    return free_place(home / f"{stem or 'session'}{SUFFIX}")


def free_place(wanted: Path) -> Path:
    """`night.speco3`, or `night-2.speco3` where there is one."""
    path = wanted
    for number in range(2, MAX_TRIES):
        if not is_there(path):
            return path
        path = wanted.with_name(f"{wanted.stem}-{number}{wanted.suffix}")
    return path


def place_problem(path: Path) -> str:
    """Why no session can be made there, in a few words; empty: it can."""
    if not path.name or path.name == SUFFIX:
        return QCoreApplication.translate("place", "Give the session file a name")
    if is_there(path):
        text = QCoreApplication.translate("place", "{name} is there already: choose another name")
        return text.replace("{name}", path.name)
    if not is_folder(path.parent):
        text = QCoreApplication.translate("place", "{folder} is not a folder")
        return text.replace("{folder}", str(path.parent))
    if not os.access(path.parent, os.W_OK):
        text = QCoreApplication.translate("place", "{folder} cannot be written: choose another")
        return text.replace("{folder}", str(path.parent))
    return ""


def _stem(name: str) -> str:
    short = stem_of(name)
    return Path(name).stem if short == name else short
