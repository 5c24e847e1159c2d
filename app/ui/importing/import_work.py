"""Lists become a session file, or nothing is left behind."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from agent.errors import WorkbenchError
from agent.tasks.task import Task
from app.core.importing.folder_walk import Progress, ShouldStop, never, silent
from app.core.importing.importer import import_list
from app.core.importing.reports import ImportReport
from app.core.session.session import new_session
from app.ui.candidate.blind_mode import FACT


@dataclass(frozen=True, kw_only=True)
class ListOrder:
    """One list. `roles` where the user chose another column than the guess."""

    path: Path
    roles: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ImportOrder:
    """What the import page asks for."""

    path: Path
    task: Task
    reviewer: str
    lists: tuple[ListOrder, ...]
    spectra: Path | None = None
    blind: bool = False


@dataclass(frozen=True, kw_only=True)
class ImportedSession:
    """The session, closed again, and what became of each list."""

    path: Path
    candidates: int
    reports: tuple[ImportReport, ...]


def make_session(
    order: ImportOrder, progress: Progress = silent, should_stop: ShouldStop = never
) -> ImportedSession:
    """Any thread. Raises a WorkbenchError, ImportStopped among them; then there is no file."""
    session = new_session(order.path, order.task, order.reviewer)
    path = Path(str(session.location))
    try:
        reports = tuple(
            import_list(
                session,
                each.path,
                roles=each.roles,
                spectra=order.spectra,
                progress=progress,
                should_stop=should_stop,
            )
            for each in order.lists
        )
        if order.blind:
            session.set_fact(FACT, "yes")
        made = ImportedSession(path=path, candidates=session.count(), reports=reports)
    except BaseException:
        session.close()
        with suppress(OSError):
            path.unlink()
        raise
    session.close()
    return made


def folder_for(folder: Path) -> Path:
    """Made where it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        told = QCoreApplication.translate("start", "no folder to write to")
        raise WorkbenchError(f"{folder}: {told}: {error.strerror}") from error
    return folder
