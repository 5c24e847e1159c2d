"""Reads the current candidate's spectrum, and its neighbours' ahead of time."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal

from agent.errors import ReadError, WorkbenchError
from agent.spectra.spectrum import Spectrum
from app.core.inspections.store import mark_fault
from app.core.queue import QueueRow
from app.core.session.records import Candidate
from app.core.session.session import Session
from app.core.spectra.packing import packed_spectrum
from app.core.spectra.prefetch import Prefetch, SpectrumKey, read_by_key, spectrum_key
from app.ui.base.background.runner import Runner


class SpectrumReader(QObject):
    """Also marks unreadable files in the session. Close it before the session."""

    loaded = Signal(object, str)  # the Spectrum requested last, or None and the reason
    failed = Signal(object)  # a WorkbenchError from the session

    def __init__(self, session: Session, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.prefetch = Prefetch(partial(read_spectrum, session))
        self._session, self._runner = session, runner
        self._requested: SpectrumKey | None = None  # an object's file may change
        self._is_closed = False

    def read(self, candidate: Candidate) -> Spectrum | None:
        """Return the spectrum if it is ready, else None and emit `loaded` later."""
        key = spectrum_key(candidate)
        self._requested = key
        try:
            ready = self.prefetch.peek(key)
        except ReadError:
            ready = None  # the file may exist by now: try again
        if ready is None:
            done, failed = partial(self._on_read, candidate), partial(self._on_failed, candidate)
            self._runner.run(partial(self.prefetch.get, key), done, failed, owner=self)
        return ready

    def prefetch_around(
        self, current: Candidate, ahead: Sequence[QueueRow], behind: Sequence[QueueRow]
    ) -> None:
        following = dict.fromkeys(spectrum_key(each.candidate) for each in ahead)
        preceding = [spectrum_key(each.candidate) for each in behind]
        self.prefetch.read_ahead(spectrum_key(current), list(following), preceding)

    def close(self) -> None:
        self._is_closed = True
        self.prefetch.close()

    def _on_read(self, candidate: Candidate, spectrum: Spectrum) -> None:
        if candidate.fault:
            self._mark(candidate, "")
        self._emit_loaded(candidate, spectrum, "")

    def _on_failed(self, candidate: Candidate, error: WorkbenchError) -> None:
        reason = str(error) or type(error).__name__
        if candidate.fault != reason:
            self._mark(candidate, reason)
        self._emit_loaded(candidate, None, reason)

    def _emit_loaded(self, candidate: Candidate, spectrum: Spectrum | None, reason: str) -> None:
        if spectrum_key(candidate) == self._requested and not self._is_closed:
            self.loaded.emit(spectrum, reason)

    def _mark(self, candidate: Candidate, reason: str) -> None:
        if not (self._session.is_read_only or self._is_closed):
            mark = partial(mark_fault, self._session, candidate.id, reason)
            self._runner.run(mark, failed=self._report, owner=self)

    def _report(self, error: WorkbenchError) -> None:
        if not self._is_closed:
            self.failed.emit(error)


def read_spectrum(session: Session, key: SpectrumKey) -> Spectrum:
    """Read the spectrum packed in the session, else its file."""
    packed = packed_spectrum(session, key.candidate_id)
    return read_by_key(key) if packed is None else packed
