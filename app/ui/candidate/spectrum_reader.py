"""Spectra for the desk: what was read ahead is there at once, anything else comes later."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal

from agent.errors import ReadError, WorkbenchError
from agent.spectra.spectrum import Spectrum
from app.core.inspections.store import mark_fault
from app.core.packing import packed_spectrum
from app.core.prefetch import Prefetch, Wanted, read_wanted, wanted
from app.core.queue import QueueRow
from app.core.session.records import Candidate
from app.core.session.session import Session
from app.ui.background.runner import Runner


class SpectrumReader(QObject):
    """Notes in the session which cannot be read. Close it before the session."""

    came = Signal(object, str)
    """The Spectrum that was asked for last; else None, and why there is none."""
    failed = Signal(object)
    """A WorkbenchError of the session."""

    def __init__(self, session: Session, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.prefetch = Prefetch(partial(_read, session))
        self._session = session
        self._runner = runner
        self._of = 0
        self._is_closed = False

    def read(self, candidate: Candidate) -> Spectrum | None:
        """The spectrum where it is ready; else `came` will tell."""
        key = wanted(candidate)
        self._of = candidate.id
        try:
            ready = self.prefetch.peek(key)
        except ReadError:
            ready = None  # its file may be there by now: asked again
        if ready is None:
            come, fail = partial(self._came, candidate), partial(self._could_not, candidate)
            self._runner.run(partial(self.prefetch.get, key), come, fail, owner=self)
        return ready

    def look_at(
        self, current: Candidate, ahead: Sequence[QueueRow], behind: Sequence[QueueRow]
    ) -> None:
        """What to read next."""
        following = dict.fromkeys(wanted(each.candidate) for each in ahead)
        preceding = [wanted(each.candidate) for each in behind]
        self.prefetch.look_at(wanted(current), list(following), preceding)

    def close(self) -> None:
        self._is_closed = True
        self.prefetch.close()

    def _came(self, candidate: Candidate, spectrum: Spectrum) -> None:
        if candidate.fault:
            self._mark(candidate, "")
        self._tell_of(candidate, spectrum, "")

    def _could_not(self, candidate: Candidate, error: WorkbenchError) -> None:
        reason = str(error) or type(error).__name__
        if candidate.fault != reason:
            self._mark(candidate, reason)
        self._tell_of(candidate, None, reason)

    def _tell_of(self, candidate: Candidate, spectrum: Spectrum | None, reason: str) -> None:
        if candidate.id == self._of and not self._is_closed:
            self.came.emit(spectrum, reason)

    def _mark(self, candidate: Candidate, reason: str) -> None:
        if not (self._session.is_read_only or self._is_closed):
            mark = partial(mark_fault, self._session, candidate.id, reason)
            self._runner.run(mark, failed=self._tell, owner=self)

    def _tell(self, error: WorkbenchError) -> None:
        if not self._is_closed:
            self.failed.emit(error)


def _read(session: Session, key: Wanted) -> Spectrum:
    """The one packed in the session, or that of the file."""
    packed = packed_spectrum(session, key.candidate_id)
    return read_wanted(key) if packed is None else packed
