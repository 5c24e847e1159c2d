"""Tells what given paths are: a session, a spectrum, lists, or something unusable."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from app.core.database.database import SUFFIX
from app.core.errors import ImportFailed
from app.core.importing.importer import look_at
from app.ui.base.translation.message_texts import translate_message
from app.ui.widgets.file_field import is_there

translate = QCoreApplication.translate
MAX_AT_ONCE = 200  # largest number of files that can be opened together


class GivenKind(Enum):
    SESSION = "session"
    SPECTRUM = "spectrum"
    LIST = "list"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class GivenPaths:
    """Paths to open; absolute. A folder or several spectra count as lists.

    `reason` says why paths of unknown kind cannot be used.
    """

    kind: GivenKind
    paths: tuple[Path, ...] = ()
    reason: str = ""


def identify_by_name(paths: Sequence[Path]) -> GivenPaths:
    """Identify paths by name only, fast enough during a drag; a list may still be unusable."""
    if not paths:
        text = translate("dropped", "Only files and folders on this computer can be opened")
        return _unknown(text)
    if len(paths) > MAX_AT_ONCE:
        text = translate("dropped", "These are more than {count} files: open their folder instead")
        return _unknown(text.replace("{count}", str(MAX_AT_ONCE)))
    sessions = [path for path in paths if path.suffix.casefold() == SUFFIX]
    if sessions and len(paths) > 1:
        return _unknown(translate("dropped", "Open one session at a time, without other files"))
    if missing := next((path for path in paths if not is_there(path)), None):
        text = translate("dropped", "{name} does not exist")
        return _unknown(text.replace("{name}", str(missing)))
    absolute = tuple(path.absolute() for path in paths)
    return GivenPaths(kind=GivenKind.SESSION if sessions else GivenKind.LIST, paths=absolute)


def identify(paths: Sequence[Path]) -> GivenPaths:
    """Identify paths by content: reads the start of a single file, does not search folders."""
    given = identify_by_name(paths)
    if given.kind is not GivenKind.LIST or len(given.paths) > 1 or given.paths[0].is_dir():
        return given
    try:
        found = look_at(given.paths[0])
    except ImportFailed as error:
        return _unknown(translate_message(str(error)))
    if found.needs_roles:  # the user can choose the columns on the import page
        return given
    if found.problem:
        return _unknown(translate_message(found.problem))
    is_one = found.format == "spectrum" and found.estimate == 1
    return GivenPaths(kind=GivenKind.SPECTRUM if is_one else GivenKind.LIST, paths=given.paths)


def _unknown(reason: str) -> GivenPaths:
    return GivenPaths(kind=GivenKind.UNKNOWN, reason=reason)
