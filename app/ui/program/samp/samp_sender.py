"""Sends what one session shows to other programs."""

import shutil
import tempfile
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from app.ui.program.samp import samp_work
from app.ui.program.samp.samp_link import SampLink
from app.ui.program.samp.samp_work import Sent, SharedTable, written_table
from app.ui.session.session_context import SessionContext

FOLLOW_MS = 250  # Leafing through the list does not make other programs jump at every candidate
MAX_NAME = 60


class SampSender(QObject):
    """The files it sends live as long as it does; call `close`."""

    def __init__(self, link: SampLink, context: SessionContext, parent: QObject) -> None:
        super().__init__(parent)
        self._link, self._current = link, context.current
        self._session = context.bridge.session
        self.table: SharedTable | None = None  # what other programs have of this list
        self._followed = 0  # id of the candidate that other programs have highlighted
        self._folder: Path | None = None
        self._timer = QTimer(self, singleShot=True, interval=FOLLOW_MS)
        self._timer.timeout.connect(self._follow)
        self._current.candidate_changed.connect(self._follow_soon)

    def close(self) -> None:
        self._timer.stop()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def note_picked(self, candidate_id: int) -> None:
        """Another program picked this candidate: it is not told so again."""
        self._followed = candidate_id

    def take_table(self, table: SharedTable | None) -> None:
        """This list came from another program, which knows its rows."""
        if table is not None and self.table is None:
            self.table = table

    def send_list(self) -> None:
        self._current.message.emit(self.tr("Sending the list…"))
        self._run(samp_work.send_table, self._maker(), self._name)

    def send_row(self) -> None:
        candidate = self._current.candidate
        if candidate is None:
            self._current.message.emit(self.tr("No object selected"))
            return
        self._followed = candidate.id
        self._run(samp_work.send_row, self.table, self._maker(), self._name, candidate.id)

    def send_selection(self, ids: Sequence[int]) -> None:
        self._run(samp_work.send_selection, self.table, self._maker(), self._name, tuple(ids))

    def send_position(self) -> None:
        candidate = self._current.candidate
        if candidate is None or candidate.ra is None or candidate.dec is None:
            text = self.tr("Neither the list nor the file gives a sky position")
            self._current.message.emit(text)
            return
        self._run(samp_work.send_position, candidate.ra, candidate.dec)

    def send_spectrum(self) -> None:
        spectrum, candidate = self._current.spectrum, self._current.candidate
        if spectrum is None or candidate is None:
            self._current.message.emit(self.tr("There is no spectrum to send"))
            return
        path = self._files() / f"spectrum-{candidate.id}-{uuid.uuid4().hex[:6]}.vot"
        name = (candidate.object_id or path.stem)[:MAX_NAME]
        self._run(samp_work.send_spectrum, spectrum, path, name)

    def _run(self, send: Callable[..., Sent], *what: object) -> None:
        self._link.run(partial(send, *what), self._on_sent, self._current.report_error)

    @property
    def _name(self) -> str:
        return self._session.name[:MAX_NAME]

    def _maker(self) -> samp_work.MakeTable:
        """Writes the list as it is filtered and ordered now."""
        return partial(
            written_table,
            self._session,
            self._current.queue,
            self._files(),
            f"spec-o3-{uuid.uuid4().hex[:12]}",
            is_blind=self._current.blind_mode.is_on,
        )

    def _files(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="spec-o3-samp-"))
        return self._folder

    def _on_sent(self, sent: Sent) -> None:
        if sent.table is not None:
            self.table = sent.table
        text = self.tr("Sent to {programs}").replace("{programs}", ", ".join(sent.names))
        self._current.message.emit(text)

    def _follow_soon(self, _: object) -> None:
        if self.table is not None and self._link.is_on:
            self._timer.start()

    def _follow(self) -> None:
        candidate, table = self._current.candidate, self.table
        if candidate is not None and table is not None and candidate.id != self._followed:
            self._followed = candidate.id
            self._link.run(partial(samp_work.follow_row, table, candidate.id))
