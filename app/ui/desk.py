"""What lies on the desk: one candidate, its spectrum, and the opinion that forms about it.

Every part of the window listens here, and asks here for what a person wants done.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from agent.errors import ReadError, WorkbenchError
from agent.spectra.spectrum import Spectrum
from app.core.agreement.repeats import withdraw_repeat
from app.core.inspections import mark_fault
from app.core.packing import packed_spectrum
from app.core.prefetch import Prefetch, Wanted, read_wanted, wanted
from app.core.queue import (
    EVERYTHING,
    LIST_ORDER,
    UNJUDGED,
    Filter,
    Line,
    Sort,
    both,
    line_of,
    next_line,
    next_unjudged,
    page,
    previous_line,
)
from app.core.queue.filters import Has, Not
from app.core.records import Candidate, Change, LogEntry, Opinion, Verdict
from app.core.session import Session
from app.ui.blindness import Blindness
from app.ui.bridge import SessionBridge
from app.ui.runner import Runner
from app.ui.surroundings import Queue, Surroundings, look_around


class Desk(QObject):
    """For the window's thread alone. Close it before the session."""

    moved = Signal(object)
    """Another candidate is on the desk: its `Line`, or None for an empty queue."""
    spectrum_changed = Signal(object)
    """The `Spectrum` to draw; None while it is read, or where it cannot be."""
    unreadable = Signal(str)
    """Why there is no spectrum."""
    line_changed = Signal(object)
    """Something else is known of the candidate on the desk."""
    opinion_changed = Signal(object)
    """The pending `Opinion`."""
    judged = Signal(object)
    """A `LogEntry`: a verdict, an undo, a redo."""
    queue_changed = Signal(object)
    """The `Queue` that is walked through."""
    said = Signal(str)
    """A message that needs no answer."""
    failed = Signal(str, str)
    """What went wrong, and its details."""

    def __init__(
        self, bridge: SessionBridge, runner: Runner, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.session: Session = bridge.session
        self.blindness = Blindness(bridge.session, self)
        self.queue = Queue(tree=EVERYTHING, sort=LIST_ORDER)
        self.line: Line | None = None
        self.spectrum: Spectrum | None = None
        self.fault = ""
        self.opinion = Opinion()
        self.prefetch = Prefetch(partial(_read, bridge.session))
        self._runner = runner
        self._around = Surroundings(of=0)
        self._painted_at: float | None = None
        self._is_closed = False
        bridge.changed.connect(self._take_note)

    @property
    def candidate(self) -> Candidate | None:
        return None if self.line is None else self.line.candidate

    @property
    def is_painted(self) -> bool:
        """Whether the person can have seen it."""
        return self._painted_at is not None

    def note_painted(self, candidate_id: int) -> None:
        """The plot says so, when it has drawn the spectrum of that candidate."""
        is_it = self.candidate is not None and self.candidate.id == candidate_id
        if is_it and self.spectrum is not None and self._painted_at is None:
            self._painted_at = time.monotonic()

    # Moving

    def start(self) -> None:
        """The first one without a verdict, else the first."""
        first = next_unjudged(self.session, self._open(), self.queue.sort)
        lines = () if first else page(self.session, self.queue.tree, self.queue.sort, limit=1).lines
        self._show(first or next(iter(lines), None))

    def go_to(self, candidate_id: int) -> None:
        """Any candidate, whether the filter shows it or not."""
        try:
            line = line_of(self.session, candidate_id, self.queue.sort)
        except WorkbenchError as error:
            self.tell(error)
            return
        self._show(line)

    def next(self) -> None:
        self._step(self._around.after, next_line, self.tr("This is the last one of the list"))

    def previous(self) -> None:
        self._step(self._around.before, previous_line, self.tr("This is the first one of the list"))

    def next_unjudged(self) -> None:
        """Behind the last the first ones follow."""
        line = self.line
        known = self._around.unjudged if self._knows_around() else ()
        found = next(iter(known), None)
        if found is None:
            place = None if line is None else line.place
            found = next_unjudged(self.session, self._open(), self.queue.sort, after=place)
        if found is None:
            self.said.emit(self.tr("Nothing is left to judge in this list"))
            self._refresh()
        else:
            self.go_to(found.candidate.id)

    def walk(self, tree: Filter, sort: Sort) -> bool:
        """Go through other candidates, or in another order; what is on the desk stays there.

        False where that would tell what blind mode hides.
        """
        if told := self.blindness.refusal(tree, sort):
            self.said.emit(told)
            return False
        self.queue = Queue(tree=tree, sort=sort)
        self._around = Surroundings(of=0)
        self.queue_changed.emit(self.queue)
        if self.line is None:
            self.start()
        else:
            self._refresh()
            self._look_around()
        return True

    def retry(self) -> None:
        """Read the spectrum again: its file may be there now."""
        if self.line is not None:
            self._read_spectrum(self.line.candidate)

    # Judging

    def judge(self, verdict: Verdict, *, stay: bool = False) -> None:
        """Write it down and go on to the next without a verdict."""
        if self.candidate is None:
            return
        if self.fault:
            self.said.emit(self.tr("A spectrum that cannot be read cannot be judged: N goes on"))
            return
        if not self.is_painted:
            self.said.emit(self.tr("Not judged: it was not drawn yet"))
            return
        if not self._record(replace(self.opinion, verdict=verdict)):
            return
        self._around = self._around.without(self.candidate.id)
        if stay:
            self._refresh()
        else:
            self.next_unjudged()

    def set_confidence(self, confidence: int | None) -> None:
        """Of the verdict to come, or of the one that is there."""
        self._change(replace(self.opinion, confidence=confidence), save=self._has_verdict())

    def toggle_flag(self, flag: str) -> None:
        flags = self.opinion.flags
        there = tuple(each for each in flags if each != flag)
        flags = there if flag in flags else (*flags, flag)
        self._change(replace(self.opinion, flags=flags), save=True)

    def set_comment(self, comment: str, *, save: bool = True) -> None:
        self._change(replace(self.opinion, comment=comment), save=save)

    def undo(self) -> None:
        """The last thing this reviewer did, and back to its candidate."""
        try:
            repeat = withdraw_repeat(self.session)
            if repeat is not None:
                self.go_to(repeat.candidate_id)
                self.said.emit(self.tr("A repeated verdict was taken back"))
                return
            entry = self.session.undo()
        except WorkbenchError as error:
            self.tell(error)
            return
        self._follow(entry, self.tr("Nothing to undo"), self.tr("Undone: {what}"))

    def redo(self) -> None:
        try:
            entry = self.session.redo()
        except WorkbenchError as error:
            self.tell(error)
            return
        self._follow(entry, self.tr("Nothing to redo"), self.tr("Done again: {what}"))

    def reveal(self) -> None:
        """Show the agent's opinion in blind mode; it is written down that it was seen."""
        if self.candidate is not None:
            self.blindness.reveal(self.candidate.id)
            self.line_changed.emit(self.line)

    def tell(self, error: WorkbenchError) -> None:
        """Into the status line, with what is behind it."""
        cause = error.__cause__
        self.failed.emit(str(error), "" if cause is None else f"{type(cause).__name__}: {cause}")

    def close(self) -> None:
        self._is_closed = True
        self.prefetch.close()

    # What the others do

    def _take_note(self, change: Change) -> None:
        if change.aspect == "list":
            self._around = Surroundings(of=0)
            if self.line is None:
                self.start()
                return
        mine = self.candidate is not None and self.candidate.id in change.candidate_ids
        if (mine or not change.candidate_ids) and change.aspect != "verdict":
            self._refresh()

    def _open(self) -> Filter:
        """Those that can be judged."""
        return both(self.queue.tree, UNJUDGED, Not(Has("fault")))

    def _knows_around(self) -> bool:
        return self.candidate is not None and self._around.of == self.candidate.id

    def _step(self, known: tuple[Line, ...], ask: Any, at_the_end: str) -> None:
        if self.line is None:
            return
        found = next(iter(known), None) if self._knows_around() else None
        if found is None:
            at = {"after" if ask is next_line else "before": self.line.place}
            found = ask(self.session, self.queue.tree, self.queue.sort, **at)
        if found is None:
            self.said.emit(at_the_end)
        else:
            self.go_to(found.candidate.id)

    def _show(self, line: Line | None) -> None:
        before, self.line = self.line, line
        self._painted_at = None
        self.fault = ""
        self.opinion = Opinion() if line is None or line.mine is None else line.mine.opinion
        known = None if line is None or before is None else self._around.moved_to(line, before)
        self._around = known or Surroundings(of=0)
        self.moved.emit(line)
        self.opinion_changed.emit(self.opinion)
        if line is None:
            self._take_spectrum(None, "")
            return
        self._read_spectrum(line.candidate)
        QTimer.singleShot(0, self, self._look_around)

    def _refresh(self) -> None:
        """The same candidate, with what is known of it now."""
        if self.line is None:
            return
        self.line = line_of(self.session, self.line.candidate.id, self.queue.sort)
        self.line_changed.emit(self.line)

    def _read_spectrum(self, candidate: Candidate) -> None:
        key = wanted(candidate)
        try:
            ready = self.prefetch.peek(key)
        except ReadError:
            ready = None  # its file may be there by now: asked again
        if ready is not None:
            self._take_spectrum(ready, "")
            return
        self._take_spectrum(None, "")
        self._runner.run(
            partial(self.prefetch.get, key),
            partial(self._came, candidate),
            partial(self._could_not, candidate),
            owner=self,
        )

    def _came(self, candidate: Candidate, spectrum: Spectrum) -> None:
        if candidate.fault:
            self._mark(candidate, "")
        if self.candidate is not None and self.candidate.id == candidate.id:
            self._take_spectrum(spectrum, "")

    def _could_not(self, candidate: Candidate, error: WorkbenchError) -> None:
        self._mark(candidate, str(error))
        if self.candidate is not None and self.candidate.id == candidate.id:
            self._take_spectrum(None, str(error) or type(error).__name__)

    def _mark(self, candidate: Candidate, reason: str) -> None:
        if self.session.is_read_only or self._is_closed:
            return
        try:
            mark_fault(self.session, candidate.id, reason)
        except WorkbenchError as error:
            self.tell(error)

    def _take_spectrum(self, spectrum: Spectrum | None, fault: str) -> None:
        self.spectrum, self.fault = spectrum, fault
        self._painted_at = None
        self.spectrum_changed.emit(spectrum)
        if fault:
            self.unreadable.emit(fault)

    def _look_around(self) -> None:
        line = self.line
        if line is None or self._is_closed:
            return
        look = partial(look_around, self.session, self.queue, line.candidate.id, line.place)
        self._runner.run(look, partial(self._know, self.queue), self.tell, owner=self)

    def _know(self, queue: Queue, around: Surroundings) -> None:
        if self.candidate is None or around.of != self.candidate.id or queue is not self.queue:
            return
        self._around = around
        ahead = dict.fromkeys(wanted(each.candidate) for each in (*around.unjudged, *around.after))
        behind = [wanted(each.candidate) for each in around.before]
        self.prefetch.look_at(wanted(self.candidate), list(ahead), behind)

    def _has_verdict(self) -> bool:
        return (
            self.line is not None
            and self.line.mine is not None
            and bool(self.line.mine.opinion.verdict)
        )

    def _change(self, opinion: Opinion, *, save: bool) -> None:
        if self.candidate is None or opinion == self.opinion:
            return
        if save:
            kept = self.line.mine.opinion.verdict if self.line and self.line.mine else None
            if not self._record(replace(opinion, verdict=kept)):
                self.opinion_changed.emit(self.opinion)
                return
            self._refresh()
        self.opinion = opinion
        self.opinion_changed.emit(opinion)

    def _record(self, opinion: Opinion) -> bool:
        assert self.line is not None
        number = self.line.candidate.id
        spent = None if self._painted_at is None else time.monotonic() - self._painted_at
        shown: Mapping[str, Any] = self.blindness.shown(self.line)
        try:
            entry = self.session.record_verdict(number, opinion, seconds=spent, shown=shown)
        except WorkbenchError as error:
            self.tell(error)
            return False
        if entry is not None:
            self.judged.emit(entry)
        return True

    def _follow(self, entry: LogEntry | None, nothing: str, done: str) -> None:
        if entry is None:
            self.said.emit(nothing)
            return
        self.go_to(entry.candidate_id)
        self.judged.emit(entry)
        said = entry.opinion.verdict or self.tr("no verdict")
        self.said.emit(done.replace("{what}", str(said)))


def _read(session: Session, key: Wanted) -> Spectrum:
    """The one packed in the session, or that of the file."""
    packed = packed_spectrum(session, key.candidate_id)
    return read_wanted(key) if packed is None else packed
