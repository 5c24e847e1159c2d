"""The folders from which the spectra of a session are read.

A session from somebody else may name any file of this computer, and `pack` would copy it. So a
session file reads spectra in its own folder, and in those of the lists imported on this computer;
a person is asked once about others. The answer is kept beside this person's settings, never in the
session.
"""

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib import resources
from pathlib import Path

from sqlalchemy import ColumnElement, and_, exists, false, func, not_, or_, select

from agent.atomic_file import write_file
from agent.checked_toml import is_unicode, printable
from agent.spectra.urls import is_url, url_folder
from app.core.database.tables import candidates, packed_spectra
from app.core.errors import SessionError
from app.core.reviewer_name import settings_path
from app.core.session.session import Session, open_session

FILE = "spectra_folders.json"
MAX_SHOWN = 300
MAX_FOLDERS = 8  # more are summarized by folders above them
PAGE = 1000

_unsaved: dict[str, list[str]] = {}
"""Folders allowed since the program started; kept here too, as a home may be read-only."""
MAX_BYTES = 4_000_000
MAX_KEYS = 2000
LIST_FOLDERS = "list_folders.json"


class OutsideFoldersError(SessionError):
    """The session names spectra outside the allowed folders; the user can allow `folders`."""

    def __init__(self, session: Session, folders: tuple[str, ...]) -> None:
        shown = printable(", ".join(folders), MAX_SHOWN)
        super().__init__(
            f"{session.location} names spectra outside its own folder, in {shown}: give "
            "--trust-paths if you trust where it comes from"
        )
        self.session_id = session.id
        self.folders = folders


def open_with_spectra(
    location: Path | str, reviewer: str, *, read_only: bool = False, trust_paths: bool = False
) -> Session:
    """Open a session whose spectra are going to be read. Raises OutsideFoldersError."""
    session = open_session(location, reviewer, read_only=read_only)
    try:
        if trust_paths:
            allow_folders(session.id, outside_folders(session))
        refuse_outside_folders(session)
    except BaseException:
        session.close()
        raise
    return session


def refuse_outside_folders(session: Session) -> None:
    if folders := outside_folders(session):
        raise OutsideFoldersError(session, folders)


def allow_folders(session_id: str, folders: Iterable[Path | str]) -> None:
    """Remember that the spectra of this session, and of its copies, may be in these folders."""
    known = {**read_folders(FILE), **_unsaved}
    before = known.pop(session_id, [])
    wanted = summarized(filter(None, [*before, *map(normalized, folders)]))
    if not wanted or list(wanted) == before:
        return
    known[session_id] = _unsaved[session_id] = list(wanted)
    save_folders(FILE, known)


def outside_folders(session: Session) -> tuple[str, ...]:
    """The existing folders outside the allowed ones in which the session names spectra."""
    if not isinstance(session.location, Path):
        return ()  # a team's server is not a file that anybody sends
    roots = allowed_folders(session)
    found = {normalized(each) for each in _suspicious_folders(session, roots)} - {""}
    outside = (each for each in found if not any(is_within(each, root) for root in roots))
    return summarized(each for each in outside if _may_exist(each))


def allowed_folders(session: Session) -> tuple[str, ...]:
    """Absolute folders, each also with its links resolved."""
    own = [str(session.location.parent)] if isinstance(session.location, Path) else []
    bundled = str(resources.files("resources"))
    remembered = {**read_folders(FILE), **_unsaved}.get(session.id, [])
    every = [normalized(each) for each in (*own, bundled, *remembered)]
    real = [os.path.realpath(each) for each in (*own, bundled)]
    return tuple(dict.fromkeys([*every, *real]))


def _may_exist(folder: str) -> bool:
    # Asking for a folder on another computer would tell it of this person, and send it this
    # person's credentials on Windows.
    if folder.startswith(("\\\\", "//")) or is_url(folder):
        return True
    try:
        return Path(folder).is_dir()
    except (OSError, ValueError):
        return False


def _suspicious_folders(session: Session, roots: Iterable[str]) -> set[str]:
    """Folders of spectra that are not packed and whose paths begin with no allowed folder."""
    path = candidates.c.path
    inside: list[ColumnElement[bool]] = [false()]
    for root in filter(is_unicode, roots):  # no other text is stored
        step = "/" if is_url(root) else os.sep
        start = root.rstrip(step) + step
        inside.append(func.substr(path, 1, len(start)) == start)
    is_packed = exists().where(packed_spectra.c.candidate_id == candidates.c.id)
    is_outside = or_(not_(or_(*inside)), func.instr(path, "..") > 0)
    query = select(path).where(and_(path != "", is_outside, ~is_packed)).distinct()
    with session.database.reading() as connection:
        found = connection.execution_options(yield_per=PAGE).execute(query)
        return {folder for folder in map(_folder_of, found.scalars()) if folder}


def _folder_of(text: str) -> str:
    """The folder of a spectrum; empty where nothing could be read."""
    if is_url(text):
        return url_folder(text)
    path = Path(text)
    # A path of another system is relative here, to a file that does not exist.
    try:
        return str(path.parent) if path.is_absolute() or path.is_file() else ""
    except (OSError, ValueError):
        return ""


# Small files beside this person's settings that hold lists of folders by key.
def read_folders(name: str) -> dict[str, list[str]]:
    """What the file holds; nothing if it is missing or damaged."""
    try:
        with settings_path().with_name(name).open("rb") as stream:
            found = json.loads(stream.read(MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        key: [each for each in folders if isinstance(each, str) and _is_whole(each)]
        for key, folders in found.items()
        if isinstance(folders, list)
    }


def save_folders(name: str, known: Mapping[str, list[str]]) -> None:
    """Write the newest keys, which are the last ones; where this fails, nothing is kept."""
    newest = dict([*known.items()][-MAX_KEYS:])
    path = settings_path().with_name(name)
    with suppress(OSError):  # then the question is asked again
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, json.dumps(newest, indent=1).encode("utf-8", "replace"))


def _is_whole(folder: str) -> bool:
    """Whether it means the same wherever the program runs."""
    return bool(url_folder(folder + "/")) if is_url(folder) else Path(folder).is_absolute()


# The folders in which a list may name spectra by absolute paths, as a person allowed it once.
# Kept beside the settings by the place of the list, in another file than what sessions may read:
# a session from somebody else may have any identifier.
def allow_list_folders(list_path: Path, folders: Iterable[str]) -> None:
    """Remember that the list at this place may name spectra in these folders."""
    known = read_folders(LIST_FOLDERS)
    before = known.pop(str(list_path), [])
    wanted = list(summarized([*before, *folders]))
    if wanted and wanted != before:
        save_folders(LIST_FOLDERS, {**known, str(list_path): wanted})


def list_folders(list_path: Path) -> tuple[str, ...]:
    return tuple(read_folders(LIST_FOLDERS).get(str(list_path), ()))


# Folders by their names alone, on this disk or at an address; neither is ever asked.
def is_within(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or below it; both absolute and normalized."""
    step = "/" if is_url(folder) else os.sep
    return path == folder or path.startswith(folder.rstrip(step) + step)


def normalized(folder: Path | str) -> str:
    """An absolute folder, or one at an address; empty for an address with faults."""
    if isinstance(folder, str) and is_url(folder):
        return url_folder(folder.rstrip("/") + "/")
    return os.path.normpath(Path(folder).absolute())


def folders_above(folder: str) -> list[str]:
    """From the nearest to the disk, or to the host or bucket of an address."""
    if not is_url(folder):
        return [*map(str, Path(folder).parents)]
    scheme, _, rest = folder.partition("://")
    steps = rest.split("/")
    return [f"{scheme}://{'/'.join(steps[:count])}" for count in range(len(steps) - 1, 0, -1)]


def summarized(folders: Iterable[str]) -> tuple[str, ...]:
    """At most about MAX_FOLDERS folders that contain all of them, but never a whole disk."""
    kept = _without_nested(folders)
    while len(kept) > MAX_FOLDERS:
        depth = max(map(_depth, kept))
        above = {(folders_above(each) or [each])[0] for each in kept if _depth(each) == depth}
        if any(_is_whole_disk(each) for each in above) or above <= set(kept):
            break
        kept = _without_nested({*above, *(f for f in kept if _depth(f) < depth)})
    return tuple(kept)


def _depth(folder: str) -> int:
    """How many folders are above it, those of one kind at the same depth."""
    return folder.count("/") - 1 if is_url(folder) else folder.count(os.sep)


def _is_whole_disk(folder: str) -> bool:
    return not is_url(folder) and folder == Path(folder).anchor


def _without_nested(folders: Iterable[str]) -> list[str]:
    every = set(folders)
    return sorted(f for f in every if not every.intersection(folders_above(f)))
