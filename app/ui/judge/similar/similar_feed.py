"""Reads the spectra of the session in the background, and finds those like the one on screen."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from agent.errors import WorkbenchError
from agent.spectra.spectrum import Spectrum
from app.core.queue import QueueRow, row_of
from app.core.session.records import Change
from app.core.session.session import Session
from app.core.similar.features import features
from app.core.similar.index import build_some, index_of, note_spectrum
from app.core.spectra.prefetch import SpectrumKey, spectrum_key
from app.ui.session.session_context import SessionContext

SHOWN = 6
STOP_TIMEOUT_S = 10.0
GIVE_WAY_MS = 20
MOST_WAITS = 50  # one after the other: a download, say, may be under way for hours


class SimilarRow(NamedTuple):
    row: QueueRow
    likeness: float


class SimilarFeed(QObject):
    """Call `stop` before the session is closed."""

    found = Signal(int, object)
    """A candidate's id and its `SimilarRow`s; None if its spectrum cannot be compared."""
    progressed = Signal()
    ended = Signal()  # all spectra that can be read have been

    def __init__(self, context: SessionContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._runner = context.bridge.session, context.runner
        self._answer = context.runner.latest(self)
        self._prefetch = context.current.prefetch
        self._stopping = threading.Event()
        self._work: Future[Any] | None = None
        self._has_begun = self._must_repeat = False
        self.is_reading = False
        self.known = self.total = 0
        self._after = self._waits = 0
        self._soon = QTimer(self, singleShot=True, interval=GIVE_WAY_MS)
        self._soon.timeout.connect(self._read_when_idle)
        context.bridge.changed.connect(self._session_changed)

    def begin(self) -> None:
        """Read what is not known yet; further calls do nothing."""
        if not self._has_begun and not self._stopping.is_set():
            self._has_begun = True
            # What a person looks at is read once for both.
            self._prefetch.read = partial(_read_and_note, self._prefetch.read, self._session)
            self._read_on(0)

    def find(self, row: QueueRow, spectrum: Spectrum) -> None:
        number = row.candidate.id
        work = partial(find_similar, self._session, spectrum_key(row.candidate), spectrum)
        self._answer.ask(work, partial(self.found.emit, number), self._failed)

    def stop(self) -> None:
        """Stop reading, and keep what was read."""
        self._stopping.set()
        if self._work is not None:
            wait([self._work], STOP_TIMEOUT_S)
        if self._has_begun:
            index_of(self._session.database).save()

    def _session_changed(self, change: Change) -> None:
        if self._has_begun and change.aspect in ("list", "spectrum"):
            self._must_repeat = True
            if not self.is_reading:
                self._read_on(0)

    def _read_on(self, after: int) -> None:
        if after == 0:
            self._must_repeat = False
        self.is_reading = True
        self._after, self._waits = after, 0
        self._read_when_idle()

    def _read_when_idle(self) -> None:
        """What a person waits for goes first: another thread at work makes it slower."""
        if self._stopping.is_set():
            return
        if self._runner.is_busy and self._waits < MOST_WAITS:
            self._waits += 1
            self._soon.start()
            return
        work = partial(_read_some, self._session, self._after, self._stopping.is_set)
        self._work = self._runner.run(work, self._read_some, self._failed, owner=self)

    def _read_some(self, found: tuple[int | None, int, int]) -> None:
        after, self.known, self.total = found
        if self._stopping.is_set():
            return
        if after is not None:
            self._read_on(after)
            self.progressed.emit()
            return
        self.is_reading = False
        self.progressed.emit()
        self.ended.emit()
        if self._must_repeat:
            self._read_on(0)

    def _failed(self, _: WorkbenchError) -> None:
        """The session cannot be read: that is reported where its candidates are."""
        self.is_reading = False
        self.progressed.emit()


def find_similar(session: Session, key: SpectrumKey, spectrum: Spectrum) -> list[SimilarRow] | None:
    """The nearest of the session's spectra, best first. Any thread."""
    vector = features(spectrum)
    if vector is None:
        return None
    index = index_of(session.database)
    # Twice as many: the index may know candidates that the session has no more.
    nearest = index.nearest(vector, 2 * SHOWN, without=key.candidate_id)
    present = {each.id for each in session.candidates([each.candidate_id for each in nearest])}
    shown = [each for each in nearest if each.candidate_id in present][:SHOWN]
    return [SimilarRow(row_of(session, number), likeness) for number, likeness in shown]


def _read_some(
    session: Session, after: int, should_stop: Callable[[], bool]
) -> tuple[int | None, int, int]:
    """After which candidate to go on, how many are known, and of how many."""
    index = index_of(session.database)
    after_now = build_some(session, index, after, should_stop=should_stop)
    return after_now, len(index), session.count()


def _read_and_note(
    read: Callable[[SpectrumKey], Spectrum], session: Session, key: SpectrumKey
) -> Spectrum:
    spectrum = read(key)
    note_spectrum(index_of(session.database), key, spectrum)
    return spectrum
