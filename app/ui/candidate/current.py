"""What lies on the desk: one candidate, its spectrum, and the opinion that forms about it.

Every part of the window listens here, and asks here for what a person wants done.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from agent.errors import WorkbenchError
from agent.spectra.spectrum import Spectrum
from app.core.queue import EVERYTHING, LIST_ORDER, Filter, QueuePosition, QueueRow, Sort, row_of
from app.core.session.records import Candidate, Change, LogEntry, Opinion, Verdict
from app.core.session.session import Session
from app.core.statistics.repeats import Repeat
from app.ui.background.runner import Runner
from app.ui.candidate.blind_mode import BlindMode
from app.ui.candidate.queue_neighbours import (
    Queue,
    QueueNeighbours,
    first_of,
    judged_row,
    next_of,
    previous_of,
    unjudged_behind,
)
from app.ui.candidate.queue_search import QueueSearch
from app.ui.candidate.repeat_round import RepeatRound
from app.ui.candidate.spectrum_reader import SpectrumReader
from app.ui.candidate.verdict_writer import VerdictWriter
from app.ui.session_bridge import SessionBridge

Look = Callable[[Session, Queue, QueuePosition], QueueRow | None]
Known = Callable[[QueueRow], QueueRow | None]


class CurrentCandidate(QObject):
    """For the window's thread alone. Close it before the session."""

    moved = Signal(object)
    """Another candidate is on the desk: its `QueueRow`, or None for an empty queue."""
    spectrum_changed = Signal(object)
    """The `Spectrum` to draw; None while it is read, or where it cannot be."""
    unreadable = Signal(str)
    """Why there is no spectrum."""
    row_changed = Signal(object)
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
        self.blind_mode = BlindMode(bridge.session, self)
        self.queue = Queue(tree=EVERYTHING, sort=LIST_ORDER)
        self.line: QueueRow | None = None
        self.spectrum: Spectrum | None = None
        self.fault = ""
        self.opinion = Opinion()
        self.saved = Opinion()
        """What the session holds of the candidate on the desk; while `judged` tells: until then."""
        self._verdicts = VerdictWriter(bridge.session, self.blind_mode)
        self._reader = SpectrumReader(bridge.session, runner, self)
        self.prefetch = self._reader.prefetch
        self._search = QueueSearch(bridge.session, runner, self._could_not_seek, self)
        self.again = self._cache = RepeatRound(bridge.session, runner, self.blind_mode, self)
        self._painted_at: float | None = None
        self._is_leaving = False
        """Whether a verdict was given, and the next object is not here yet."""
        self._is_closed = False
        self._reader.came.connect(self._take_spectrum)
        self._reader.failed.connect(self.tell)
        self._cache.looked.connect(self._read_ahead)
        self._cache.failed.connect(self.tell)
        self.blind_mode.changed.connect(self._turn_blind)
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
        if self.candidate is None or self.candidate.id != candidate_id or self.spectrum is None:
            return
        if self._painted_at is None:
            self._painted_at = time.monotonic()

    def start(self) -> None:
        """The first one without a verdict, else the first."""
        self._search.seek(partial(first_of, self.session, self.queue), self._show)

    def go_to(self, candidate_id: int) -> None:
        """Any candidate, whether the filter shows it or not."""
        try:
            line = row_of(self.session, candidate_id, self.queue.sort)
        except WorkbenchError as error:
            self.tell(error)
            return
        self._show(self.blind_mode.as_met(line))

    def next(self) -> None:
        self._step(self._cache.next, next_of, self.tr("This is the last one of the list"))

    def previous(self) -> None:
        at_the_end = self.tr("This is the first one of the list")
        self._step(self._cache.previous, previous_of, at_the_end)

    def next_unjudged(self) -> None:
        """Behind the last the first ones follow."""
        line, self._is_leaving = self.line, True
        if self._search.is_busy:
            return  # goes on from where that comes to
        known = None if line is None else self._cache.next_unjudged(line)
        if known is not None:
            self._show(known)
            return
        place = None if line is None else line.position
        look = partial(unjudged_behind, self.session, self.queue, place)
        self._search.seek(look, self._arrive_unjudged)

    def walk(self, tree: Filter, sort: Sort) -> bool:
        """Go through other candidates, or in another order; what is on the desk stays there.

        False where that would tell what blind mode hides.
        """
        if told := self.blind_mode.refusal(tree, sort):
            self.said.emit(told)
            return False
        self.queue = Queue(tree=tree, sort=sort)
        self._cache.forget()
        self._search.forget()
        self.queue_changed.emit(self.queue)
        if self.line is None:
            self.start()
        else:
            look = partial(row_of, self.session, self.line.candidate.id, sort)
            self._search.seek(look, self._take_place)
        return True

    def retry(self) -> None:
        """Read the spectrum again: its file may be there now."""
        if self.line is not None:
            self._take_spectrum(self._reader.read(self.line.candidate))

    def judge(self, verdict: Verdict, *, stay: bool = False, confidence: int | None = None) -> None:
        """Write it down and go on to the next without a verdict. `confidence` None: the one that
        was chosen before."""
        if self.candidate is None:
            self.said.emit(self.tr("Nothing is on the desk to be judged"))
            return
        if self.fault:
            self.said.emit(self.tr("A spectrum that cannot be read cannot be judged: go on"))
            return
        if not self.is_painted or self._is_leaving:
            self.said.emit(self.tr("Not judged: it was not drawn yet"))
            return
        sure = self.opinion.confidence if confidence is None else confidence
        opinion = replace(self.opinion, verdict=verdict, confidence=sure)
        if not self._record(opinion):
            return
        self.opinion = opinion
        self._cache.drop(self.candidate.id)
        if stay:
            self._show_again()
        else:
            self.next_unjudged()

    def set_confidence(self, confidence: int | None) -> None:
        """Of the verdict to come, or of the one that is there."""
        is_judged = self.saved.verdict is not None
        self._change(replace(self.opinion, confidence=confidence), save=is_judged)

    def toggle_flag(self, flag: str) -> None:
        flags = self.opinion.flags
        there = tuple(each for each in flags if each != flag)
        flags = there if flag in flags else (*flags, flag)
        self._change(replace(self.opinion, flags=flags), save=True)

    def set_comment(self, comment: str, *, save: bool = True) -> None:
        """Not saved yet, it is when the candidate leaves the desk."""
        is_new = comment != self.saved.comment
        self._change(replace(self.opinion, comment=comment), save=save and is_new)

    def undo(self) -> None:
        """The last thing this reviewer did, and back to its candidate."""
        nothing, done = self.tr("Nothing to undo"), self.tr("Undone: now {what}")
        self._take_turn(self._verdicts.undo, nothing, done)

    def redo(self) -> None:
        nothing, done = self.tr("Nothing to redo"), self.tr("Done again: {what}")
        self._take_turn(self._verdicts.redo, nothing, done)

    def reveal(self) -> None:
        """Show the agent's opinion in blind mode; it is written down that it was seen."""
        if self.line is None:
            return
        if told := self.blind_mode.reveal(self.line):
            self.said.emit(told)
        else:
            self.row_changed.emit(self.line)

    def tell(self, error: WorkbenchError) -> None:
        """Into the status line, with what is behind it."""
        cause = error.__cause__
        self.failed.emit(str(error), "" if cause is None else f"{type(cause).__name__}: {cause}")

    def close(self) -> None:
        """What was typed is kept first."""
        if not self._is_closed:
            self._keep_comment()
            self.blind_mode.keep()
            self._is_closed = True
            self._search.forget()
            self._cache.close()
            self._reader.close()

    def _take_note(self, change: Change) -> None:
        self._cache.note(change.candidate_ids)
        if change.aspect == "list":
            self._search.measure()
            if self.line is None:
                self.start()
                return
        is_mine = self.candidate is not None and self.candidate.id in change.candidate_ids
        if (is_mine or not change.candidate_ids) and not self._verdicts.is_writing:
            self._refresh()

    def _turn_blind(self, on: bool) -> None:
        if on and self.blind_mode.refusal(self.queue.tree, self.queue.sort):
            self.walk(EVERYTHING, LIST_ORDER)
            self.said.emit(self.tr("Blind mode: in the order of the list, which tells nothing"))
        self.row_changed.emit(self.line)

    def _step(self, known: Known, ask: Look, at_the_end: str) -> None:
        if self.line is None or self._search.is_busy:
            return
        found = known(self.line)
        if found is not None:
            self._show(found)
            return
        look = partial(ask, self.session, self.queue, self.line.position)
        self._search.seek(look, partial(self._arrive, at_the_end))

    def _arrive(self, if_nowhere: str, line: QueueRow | None) -> None:
        if line is not None:
            self._show(line)
            return
        self.said.emit(if_nowhere)
        if self._is_leaving:
            self.next_unjudged()

    def _arrive_unjudged(self, line: QueueRow | None) -> None:
        if line is not None:
            self._show(line)
            return
        self._is_leaving = False  # it stays on the desk, and may be judged again
        self.said.emit(self.tr("Nothing is left to judge in this list"))
        self._show_again()

    def _could_not_seek(self, error: WorkbenchError) -> None:
        self._is_leaving = False
        self.tell(error)

    def _take_place(self, line: QueueRow | None) -> None:
        """The candidate on the desk, where it stands in another order."""
        self.line = None if line is None else self.blind_mode.as_met(line)
        self.row_changed.emit(self.line)
        if line is not None:
            self._cache.look(self.queue, line)
        if self._is_leaving:
            self.next_unjudged()

    def _show(self, line: QueueRow | None) -> None:
        if not self._keep_comment():
            return
        self._search.forget()
        before, self.line = self.line, line
        self._painted_at = None
        self._is_leaving = False
        self.fault = ""
        self.saved = Opinion() if line is None or line.mine is None else line.mine.opinion
        self.opinion = self.saved
        self._cache.move(self.queue, line, before)
        self.blind_mode.note_shown(self.line)
        self.moved.emit(line)
        self.opinion_changed.emit(self.opinion)
        self._take_spectrum(None if line is None else self._reader.read(line.candidate))

    def _refresh(self) -> None:
        """The same candidate, with what is known of it now."""
        if self.line is None or self._is_closed:
            return
        try:
            found = row_of(self.session, self.line.candidate.id, self.queue.sort)
        except WorkbenchError as error:
            self.tell(error)
            return
        self.line = line = self.blind_mode.as_met(found)
        self.blind_mode.note_shown(self.line)
        saved = Opinion() if line.mine is None else line.mine.opinion
        if saved != self.saved:
            is_untouched = self.opinion == self.saved
            self.saved = saved
            if is_untouched:
                self.opinion = saved
                self.opinion_changed.emit(saved)
        self.row_changed.emit(line)

    def _show_again(self) -> None:
        """It stays on the desk, with the verdict it was given."""
        self.blind_mode.note_shown(self.line)
        self.row_changed.emit(self.line)
        self.opinion_changed.emit(self.opinion)

    def _take_spectrum(self, spectrum: Spectrum | None, fault: str = "") -> None:
        self.spectrum, self.fault = spectrum, fault
        self._painted_at = None
        self.spectrum_changed.emit(spectrum)
        if fault:
            self.unreadable.emit(fault)

    def _read_ahead(self, around: QueueNeighbours) -> None:
        if self.candidate is not None:
            self._reader.look_at(self.candidate, around.ahead, around.before)

    def _change(self, opinion: Opinion, *, save: bool) -> None:
        if self.candidate is None or opinion == (self.saved if save else self.opinion):
            return
        if save:
            # A verdict is never among it: that is what `judge` is for.
            if not self._record(replace(opinion, verdict=self.saved.verdict)):
                self.opinion_changed.emit(self.opinion)
                return
            self.row_changed.emit(self.line)
        self.opinion = opinion
        self.opinion_changed.emit(opinion)

    def _keep_comment(self) -> bool:
        """What was typed stays with the candidate on the desk; False: it could not be saved."""
        if self.line is None or self.opinion.comment == self.saved.comment:
            return True
        return self._record(replace(self.saved, comment=self.opinion.comment))

    def _record(self, opinion: Opinion) -> bool:
        assert self.line is not None
        try:
            entry = self._verdicts.record(self.line, opinion, self._painted_at)
        except WorkbenchError as error:
            self.tell(error)
            return False
        if entry is not None:
            self.line = judged_row(self.line, entry)
            self.judged.emit(entry)
        self.saved = opinion
        return True

    def _take_turn(
        self, turn: Callable[[], LogEntry | Repeat | None], nothing: str, done: str
    ) -> None:
        if not self._keep_comment():
            return
        try:
            taken = turn()
        except WorkbenchError as error:
            self.tell(error)
            return
        if taken is None:
            self.said.emit(nothing)
            return
        self.go_to(taken.candidate_id)
        if isinstance(taken, Repeat):
            self.said.emit(self.tr("A repeated verdict was taken back"))
            return
        self.judged.emit(taken)
        what = str(taken.opinion.verdict or self.tr("without a verdict"))
        self.said.emit(done.replace("{what}", what))
