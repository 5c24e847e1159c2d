"""Offers to fetch the file of the current candidate where it is missing and an archive has it."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from app.core.session.records import Candidate
from app.core.session.session import Session
from app.ui.base.background.runner import LongWork
from app.ui.judge.plot.empty_message import EmptyPlotMessage
from app.ui.session.session_context import SessionContext
from app.ui.start.fetching.archive_texts import archive_name, sends_text
from app.ui.widgets.file_dialogs import documents_folder

FOLDER = "fetched"
STOPPED = "stopped"


class MissingFile(QObject):
    """Nothing is asked of an archive before the button is pressed. Close it before the session."""

    def __init__(self, context: SessionContext, message: EmptyPlotMessage, parent: QObject) -> None:
        super().__init__(parent)
        self.url = ""  # of the archive, where it is another than its own
        self._context, self._message = context, message
        self._archive = ""
        self._fetching = 0  # the candidate whose file is on its way
        self.work = LongWork(self)
        context.current.candidate_changed.connect(self._forget)
        context.current.spectrum_failed.connect(self._look)
        message.fetch_button.clicked.connect(self.fetch)
        context.commands.add("fetch_missing", self.fetch)

    def fetch(self) -> None:
        """Fetch the file of the current candidate, if it is known from where."""
        candidate = self._context.current.candidate
        if candidate is None or self._fetching:
            return
        if not self._archive:
            text = self.tr("No missing file here that an archive is known to have")
            self._context.current.message.emit(text)
            return
        from app.ui.start.fetching.fetch_work import fetch_missing

        self._fetching = candidate.id
        self.work.begin()
        self._message.show_fetching(archive_name(self._archive))
        session = self._context.bridge.session
        how = self._archive, fetched_folder(session), self.work.should_stop, self.url
        work = partial(fetch_missing, session, candidate, *how)
        done = partial(self._finish, candidate.id)
        self._context.runner.run(work, done, lambda error: done(str(error)), owner=self)

    def _forget(self, _: object) -> None:
        self._archive = ""
        self._message.offer_fetch("", "")

    def _look(self, _: str) -> None:
        """Find out in the background whether the file is missing: its disk may be slow."""
        candidate = self._context.current.candidate
        if candidate is not None:
            work = partial(_archive_of, self._context.bridge.session, candidate)
            done = partial(self._offer, candidate.id)
            self._context.runner.run(work, done, lambda _: None, owner=self)

    def _offer(self, candidate_id: int, found: tuple[str, str]) -> None:
        current = self._context.current
        if current.candidate_id != candidate_id or not current.fault:
            return
        self._archive = found[0]
        name = archive_name(self._archive) if self._archive else ""
        self._message.offer_fetch(name, sends_text(self._archive))

    def _finish(self, candidate_id: int, reason: str) -> None:
        self._fetching = 0
        current = self._context.current
        if current.candidate_id != candidate_id:
            return
        if reason:
            self._message.show_fault(reason if reason != STOPPED else current.fault)
        else:
            current.retry()


def _archive_of(session: Session, candidate: Candidate) -> tuple[str, str]:
    from app.ui.start.fetching.fetch_work import archive_of  # brings what the network needs

    return archive_of(session, candidate)


def fetched_folder(session: Session) -> Path:
    """Beside the session, or in Documents for one on a server."""
    if isinstance(session.location, Path):
        return session.location.absolute().parent / FOLDER
    return documents_folder() / FOLDER
