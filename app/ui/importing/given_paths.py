"""What was given to the program: a session, a spectrum, lists, or something it cannot use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from app.core.database.database import SUFFIX
from app.core.importing.errors import ImportFailed
from app.core.importing.opening import find_list, naming, normal

MAX_AT_ONCE = 200
"""Files given together; more are better given as their folder."""


class GivenKind(Enum):
    SESSION = "session"
    SPECTRUM = "spectrum"
    LIST = "list"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class GivenPaths:
    """`paths` are absolute. A folder, and spectra given together, are lists. `reason` is why
    something unknown is of no use; empty for the rest."""

    kind: GivenKind
    paths: tuple[Path, ...] = ()
    reason: str = ""


def at_a_glance(paths: Sequence[Path]) -> GivenPaths:
    """By names alone: quick enough while somebody drags. A list may yet turn out to be another."""
    if not paths:
        return _unknown(
            QCoreApplication.translate(
                "dropped", "Only files and folders of this computer can be opened"
            )
        )
    if len(paths) > MAX_AT_ONCE:
        text = QCoreApplication.translate(
            "dropped", "These are more than {count} files: give their folder instead"
        )
        return _unknown(text.replace("{count}", str(MAX_AT_ONCE)))
    sessions = [path for path in paths if path.suffix.casefold() == SUFFIX]
    if sessions and len(paths) > 1:
        return _unknown(
            QCoreApplication.translate("dropped", "One session at a time, and without other files")
        )
    if missing := next((path for path in paths if not _is_there(path)), None):
        return _unknown(
            QCoreApplication.translate("dropped", "{name} is not there").replace(
                "{name}", str(missing)
            )
        )
    whole = tuple(path.absolute() for path in paths)
    return GivenPaths(kind=GivenKind.SESSION if sessions else GivenKind.LIST, paths=whole)


def sort_out(paths: Sequence[Path]) -> GivenPaths:
    """By what they hold: the beginning of a single file is read, a folder is not searched."""
    given = at_a_glance(paths)
    if given.kind is not GivenKind.LIST or len(given.paths) > 1 or given.paths[0].is_dir():
        return given
    try:
        path = normal(given.paths[0])
        with naming(path):
            found = find_list(path, {})
    except ImportFailed as error:
        # The columns of a list that nobody could guess are named on the import page.
        return given if _lacks_roles_alone(error) else _unknown(str(error))
    is_one = found.file.format == "spectrum" and found.file.estimate == 1
    return GivenPaths(kind=GivenKind.SPECTRUM if is_one else GivenKind.LIST, paths=given.paths)


def _lacks_roles_alone(error: ImportFailed) -> bool:
    return "no column names a spectrum" in str(error)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _unknown(reason: str) -> GivenPaths:
    return GivenPaths(kind=GivenKind.UNKNOWN, reason=reason)
