"""Creates a session from lists; a failed import leaves no file behind."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from agent.errors import WorkbenchError
from agent.tasks.task import Task
from app.core.database.file_lock import SessionLock
from app.core.errors import SessionError
from app.core.importing.importer import import_list, look_at
from app.core.importing.opening import (
    FileIdentity,
    ImportReport,
    Preview,
    file_identity,
    normalized_path,
)
from app.core.progress import EstimatedProgress, ShouldStop, never, silent
from app.core.queue.blind_filters import FACT
from app.core.session.session import new_session
from app.core.session.spectra_folders import list_folders


@dataclass(frozen=True, kw_only=True)
class ListOrder:
    """One list to import. `roles` holds the columns chosen by the user, by role.

    `allowed` are folders outside that of the list which the user allowed.
    """

    path: Path
    roles: Mapping[str, str] = field(default_factory=dict)
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ImportOrder:
    """A session to create, as requested by the import page."""

    path: Path
    task: Task
    reviewer: str
    lists: tuple[ListOrder, ...]
    spectra: Path | None = None
    blind: bool = False


@dataclass(frozen=True, kw_only=True)
class ImportedSession:
    """A new session, already closed, with a report for each list; its file as it was left."""

    path: Path
    candidates: int
    reports: tuple[ImportReport, ...]
    identity: FileIdentity | None = None


def make_session(
    order: ImportOrder, progress: EstimatedProgress = silent, should_stop: ShouldStop = never
) -> ImportedSession:
    """Import the lists; any thread. Raises WorkbenchError and then leaves no file."""
    session = new_session(order.path, order.task, order.reviewer)
    path = Path(str(session.location))
    try:
        reports = tuple(
            import_list(
                session,
                each.path,
                roles=each.roles,
                spectra=order.spectra,
                allowed=each.allowed,
                progress=progress,
                should_stop=should_stop,
            )
            for each in order.lists
        )
        if order.blind:
            session.set_fact(FACT, "yes")
        made = ImportedSession(path=path, candidates=session.count(), reports=reports)
    except BaseException:
        session.database.discard()
        raise
    session.close()
    return replace(made, identity=file_identity(path))


def discard_incomplete(made: ImportedSession) -> None:
    """Delete a session that lacks rows of folders not allowed yet: the lists are imported anew.

    If somebody has opened it since, it stays.
    """
    if not any(each.outside.rows for each in made.reports):
        return
    with suppress(OSError, SessionError):
        lock = SessionLock(made.path)
        try:
            if file_identity(made.path) == made.identity:
                made.path.unlink()
        finally:
            lock.release()


def ensure_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = QCoreApplication.translate("start", "cannot create the folder")
        raise WorkbenchError(f"{folder}: {problem}: {error.strerror}") from error
    return folder


# A preview of a list before it is imported, even if the roles of its columns are unknown.
@dataclass(frozen=True, kw_only=True)
class ListPreview(Preview):
    path: Path
    is_allowed: bool = False  # whether the folders outside were allowed for this list before


def preview_list(
    path: Path,
    chosen: Mapping[str, str],
    should_stop: Callable[[], bool] = never,
    progress: Callable[[int, int | None], object] = lambda done, total: None,
) -> ListPreview:
    """Preview a list from the start of a file or all of a folder. Raises only ImportStopped."""
    path = normalized_path(path)
    found = look_at(path, chosen, should_stop=should_stop, progress=progress)
    remembered = list_folders(path) if found.outside.folders else ()
    is_allowed = {*found.outside.folders} <= {*remembered}
    return ListPreview(path=path, is_allowed=is_allowed, **vars(found))
