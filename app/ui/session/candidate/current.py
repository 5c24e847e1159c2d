"""The candidate being judged, its spectrum and the person's opinion of it.

All parts of the window listen to this object and call it to navigate and to judge.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Literal

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from agent.errors import WorkbenchError
from agent.spectra.spectrum import Spectrum
from app.core.queue import (
    EVERYTHING,
    LIST_ORDER,
    Filter,
    QueuePosition,
    QueueRow,
    Sort,
    next_unjudged,
    row_of,
    sort_text,
)
from app.core.queue.learned_orders import begin
from app.core.session.records import Candidate, Change, LogEntry, Opinion, Verdict
from app.core.session.session import Session
from app.core.session.subclass_and_fields import FieldValue, with_value
from app.core.statistics.repeats import Repeat
from app.ui.base.background.runner import Runner
from app.ui.base.translation.message_texts import translate_message
from app.ui.session.candidate.blind_mode import BlindMode
from app.ui.session.candidate.queue_neighbours import (
    Queue,
    QueueNeighbours,
    QueueSearch,
    first_of,
    judged_row,
    next_of,
    previous_of,
)
from app.ui.session.candidate.spectrum_reader import SpectrumReader
from app.ui.session.candidate.study_round import StudyRound
from app.ui.session.candidate.verdict_writer import VerdictWriter, undone_text
from app.ui.session.session_bridge import SessionBridge

Find = Callable[[Session, Queue, QueuePosition], QueueRow | None]
FindCached = Callable[[QueueRow], QueueRow | None]

WAIT_MS = 100  # Services answer one after another: the row is read once for several.

ChangeOpinion = Callable[[Opinion], Opinion]


class CurrentCandidate(QObject):
    """Use it on the GUI thread only. Close it before the session."""

    candidate_changed = Signal(object)
    """The `QueueRow` of the new candidate, or None for an empty queue."""
    spectrum_changed = Signal(object)
    """The `Spectrum` to draw; None while it loads or if it cannot be read."""
    spectrum_failed = Signal(str)  # why the spectrum cannot be read
    row_changed = Signal(object)  # the `QueueRow` of the same candidate, with new data
    opinion_changed = Signal(object)  # the `Opinion` on screen, possibly not saved
    judged = Signal(object)  # the `LogEntry` of a verdict, an undo or a redo
    verdict_given = Signal(object, object)
    """The `QueueRow` and the `Opinion` of a verdict just given, the same as before or not."""
    queue_changed = Signal(object)  # the new `Queue`
    reordered = Signal()  # what lies behind the next candidate has learned: the queue is the same
    learning = Signal(bool)  # whether another order is being learned that will then be shown
    likeness_known = Signal()  # the spectra that can be read are in the index of likeness
    message = Signal(str)  # text for the status line
    failed = Signal(str, str)  # error message and its details

    def __init__(
        self, bridge: SessionBridge, runner: Runner, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.session: Session = bridge.session
        self.blind_mode = BlindMode(bridge.session, self)
        self.queue = Queue(tree=EVERYTHING, sort=LIST_ORDER)
        self._coming: Queue | None = None  # the queue that is shown once it has learned
        self.beside: Callable[[], list[int]] = list
        """Tells the ids of candidates that are on screen in another view."""
        self.row: QueueRow | None = None
        self.spectrum: Spectrum | None = None
        self.fault = ""
        self.painted_ids: set[int] = set()
        """Candidates whose spectra were painted since the session was opened."""
        self.opinion = Opinion()
        self.saved_opinion = Opinion()
        """The opinion in the session; in slots of `judged` still the former one."""
        self.verdicts = VerdictWriter(bridge.session, self.blind_mode, runner)
        self.evidence = self.verdicts.evidence
        self._reader = SpectrumReader(bridge.session, runner, self)
        self.prefetch = self._reader.prefetch
        self._runner = runner
        self._search = QueueSearch(bridge.session, runner, self._on_search_failed, self)
        self.repeat_round = self._cache = StudyRound(bridge.session, runner, self.blind_mode, self)
        self._painted_at: float | None = None  # later by as long as the person was elsewhere
        self._left_at: float | None = None  # when the program ceased to be the active one
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.applicationStateChanged.connect(self._on_activity)
        self._is_leaving = False  # True between a verdict and the arrival of the next candidate
        self._is_closed = False
        self._reader.loaded.connect(self._set_spectrum)
        self._reader.failed.connect(self.report_error)
        self._cache.loaded.connect(self._prefetch)
        self._cache.failed.connect(self.report_error)
        self.blind_mode.changed.connect(self._on_blind_mode_changed)
        bridge.changed.connect(self._on_session_changed)

    @property
    def candidate(self) -> Candidate | None:
        return None if self.row is None else self.row.candidate

    @property
    def candidate_id(self) -> int | None:
        return None if self.row is None else self.row.candidate.id

    @property
    def is_painted(self) -> bool:
        return self._painted_at is not None

    @property
    def order_met(self) -> str:
        """As the log keeps it: without ids, which differ in merged sessions."""
        sort = self.queue.sort
        return sort.key if sort.key == "like" else sort_text(sort)

    def note_painted(self, candidate_id: int) -> None:
        """The plot calls this after it has painted the spectrum of this candidate."""
        is_drawn = self.candidate_id == candidate_id and self.spectrum is not None
        if is_drawn and self._painted_at is None:
            self._painted_at = time.monotonic()
            self.painted_ids.add(candidate_id)

    def _on_activity(self, state: Qt.ApplicationState) -> None:
        """Do not count the time in which the person works in another program."""
        now = time.monotonic()
        if state != Qt.ApplicationState.ApplicationActive:
            self._left_at = self._left_at or now
        elif self._left_at is not None:
            if self._painted_at is not None:
                self._painted_at += now - max(self._left_at, self._painted_at)
            self._left_at = None

    def start(self) -> None:
        """Go to the first candidate without a verdict, else to the first one."""
        if self.repeat_round.is_study:
            self._show(self.repeat_round.here())
            return
        self._search.start(partial(first_of, self.session, self.queue), self._show)

    def go_to(self, candidate_id: int) -> None:
        """Go to any candidate, even one the filter excludes; in a study, to the one it wants."""
        try:
            self.repeat_round.read()
            here = self.repeat_round.here() if self.repeat_round.is_study else None
            row = here or row_of(self.session, candidate_id, self.queue.sort)
        except WorkbenchError as error:
            self.report_error(error)
            return
        if here is not None and here.candidate.id == self.candidate_id != candidate_id:
            self.message.emit(self.tr("The study shows one candidate after the other"))
            return
        self._show(self.blind_mode.without_own_verdict(row))

    def next(self) -> None:
        at_end = self.tr("This is the last candidate in the list")
        self._go_to_neighbour(self._cache.next, next_of, at_end)

    def previous(self) -> None:
        at_end = self.tr("This is the first candidate in the list")
        self._go_to_neighbour(self._cache.previous, previous_of, at_end)

    def next_unjudged(self) -> None:
        """Go to the next candidate without a verdict, wrapping around at the end."""
        row, self._is_leaving = self.row, True
        if self._search.is_busy:
            return  # continued when the running search ends
        if row is not None and (cached := self._cache.next_unjudged(row)) is not None:
            self._show(cached)
            return
        position, queue = None if row is None else row.position, self.queue
        find = partial(next_unjudged, self.session, queue.to_judge, queue.sort, after=position)
        self._search.start(find, self._on_unjudged_found)

    def set_queue(self, tree: Filter, sort: Sort) -> bool:
        """Change filter and order; the current candidate stays.

        Returns False if that would reveal what blind mode hides.
        """
        if reason := self.blind_mode.refusal(tree, sort):
            self.message.emit(reason)
            return False
        if sort.key == "learned" and sort != self.queue.sort:
            self._begin_learned(tree, sort)
            return True
        self._take_queue(tree, sort)
        return True

    def in_sight(self) -> list[int] | None:
        """The current candidate, those that keys lead to, and those beside; None while they are
        being read."""
        if self.row is None:
            return []
        near = self._cache.neighbours_of(self.row)
        if near.of != self.row.candidate.id or self._search.is_busy:
            return None
        ahead = (*near.after[:1], *near.unjudged[:1])
        return [self.row.candidate.id, *(each.candidate.id for each in ahead), *self.beside()]

    def take_reordered(self) -> None:
        """What lies behind the next candidate stands in another order now."""
        if self.row is not None:
            self._cache.clear()
            self._cache.load(self.queue, self.row)
        self.reordered.emit()

    def _begin_learned(self, tree: Filter, sort: Sort) -> None:
        """Learn in the background, then show that order, unless another was chosen meanwhile."""
        self._coming = queue = Queue(tree=tree, sort=sort)
        here = self.candidate_id
        self.learning.emit(True)

        def done(_: object) -> None:
            if self._coming is queue and self.candidate_id != here:
                self._begin_learned(tree, sort)  # the order begins with the one on screen
            elif self._coming is queue:
                self._take_queue(tree, sort)

        def failed(error: WorkbenchError) -> None:
            if self._coming is queue:
                self._coming = None
                self.learning.emit(False)
            self.report_error(error)

        work = partial(begin, self.session, tree, sort, here)
        self._runner.run(work, done, failed, owner=self)

    def _take_queue(self, tree: Filter, sort: Sort) -> None:
        self._coming, self.queue = None, Queue(tree=tree, sort=sort)
        self._cache.clear()
        self._search.cancel()
        self.queue_changed.emit(self.queue)
        if self.row is None:
            self.start()
        else:
            find = partial(row_of, self.session, self.row.candidate.id, sort)
            self._search.start(find, self._on_position_found)

    def retry(self) -> None:
        """Read the spectrum again; its file may exist now."""
        if self.row is not None:
            self._set_spectrum(self._reader.read(self.row.candidate))

    def judge(self, verdict: Verdict, *, stay: bool = False, confidence: int | None = None) -> None:
        """Record a verdict and, unless `stay`, go to the next candidate without one.

        `confidence` None means the one chosen before.
        """
        if self.candidate is None:
            self.message.emit(self.tr("No spectrum to judge"))
            return
        if self.fault:
            self.message.emit(self.tr("Not judged: this spectrum cannot be read"))
            return
        if not self.is_painted or self._is_leaving:
            self.message.emit(self.tr("Not judged: the spectrum is not drawn yet"))
            return
        sure = self.opinion.confidence if confidence is None else confidence
        subclass = self.opinion.subclass if verdict is Verdict.ACCEPT else ""
        opinion = replace(self.opinion, verdict=verdict, confidence=sure, subclass=subclass)
        if not self._record(opinion):
            return
        self.opinion = opinion
        self.verdict_given.emit(self.row, opinion)
        self._cache.mark_judged(self.candidate.id)
        if stay:
            self._show_verdict()
        else:
            self.next_unjudged()

    def set_confidence(self, confidence: int | None) -> None:
        """Set the confidence of the saved verdict, else of the next one."""
        is_judged = self.saved_opinion.verdict is not None
        self.change(replace(self.opinion, confidence=confidence), save=is_judged)

    def toggle_flag(self, flag: str) -> None:
        self.change(replace(self.opinion, flags=toggled(self.opinion.flags, flag)), save=True)

    def set_comment(self, comment: str, *, save: bool = True) -> None:
        """Set the comment; an unsaved one is saved when the candidate changes."""
        is_new = comment != self.saved_opinion.comment
        self.change(replace(self.opinion, comment=comment), save=save and is_new)

    def undo(self) -> None:
        """Undo the reviewer's last action and go to its candidate."""
        if self.repeat_round.refuses_undo():
            text = self.tr("The first verdict stands once the agent's answer was shown")
            self.message.emit(text)
            return
        nothing, done = self.tr("Nothing to undo"), self.tr("Undone: now {what}")
        self._undo_or_redo("undo", nothing, done)

    def redo(self) -> None:
        nothing, done = self.tr("Nothing to redo"), self.tr("Redone: now {what}")
        self._undo_or_redo("redo", nothing, done)

    def reveal(self) -> None:
        """Show the agent's opinion in blind mode, and record that it was seen."""
        if self.row is None:
            return
        if reason := self.blind_mode.reveal(self.row):
            self.message.emit(reason)
        else:
            self.row_changed.emit(self.row)

    def report_error(self, error: WorkbenchError) -> None:
        """Show the error and its cause in the status line."""
        cause = error.__cause__
        details = "" if cause is None else f"{type(cause).__name__}: {cause}"
        self.failed.emit(translate_message(str(error)), details)

    @contextmanager
    def reporting(self) -> Iterator[None]:
        """What cannot be done is told in the status line, and what follows within is left out."""
        try:
            yield
        except WorkbenchError as error:
            self.report_error(error)

    def close(self) -> None:
        """Save the comment and stop all background work."""
        if not self._is_closed:
            self._save_comment()
            self.blind_mode.save()
            self._is_closed = True
            self._search.cancel()
            self._cache.close()
            self._reader.close()

    def _on_session_changed(self, change: Change) -> None:
        self._cache.invalidate(change.candidate_ids)
        if change.aspect == "list":
            self._search.update_length()
            if self.row is None:
                self.start()
                return
        if not change.candidate_ids or self.candidate_id in change.candidate_ids:
            self.refresh()

    def _on_blind_mode_changed(self, on: bool) -> None:
        if on and self.blind_mode.refusal(self.queue.tree, self.queue.sort):
            self.set_queue(EVERYTHING, LIST_ORDER)
            text = self.tr("Blind mode: the queue was reset to list order, which reveals nothing")
            self.message.emit(text)
        elif self.queue.sort.key == "learned":
            # With what agents say, or without: then what was learned from it is used no longer.
            tree, sort = self.queue.tree, self.queue.sort
            if on:
                self._take_queue(tree, LIST_ORDER)
            self._begin_learned(tree, sort)
        self.row_changed.emit(self.row)

    def _go_to_neighbour(self, cached: FindCached, find: Find, at_end: str) -> None:
        if self.row is None or self._search.is_busy:
            return
        if (row := cached(self.row)) is not None:
            self._show(row)
            return
        search = partial(find, self.session, self.queue, self.row.position)
        self._search.start(search, partial(self._on_neighbour_found, at_end))

    def _on_neighbour_found(self, at_end: str, row: QueueRow | None) -> None:
        if row is not None:
            self._show(row)
            return
        self.message.emit(at_end)
        if self._is_leaving:
            self.next_unjudged()

    def _on_unjudged_found(self, row: QueueRow | None) -> None:
        if row is not None:
            self._show(row)
            return
        self._is_leaving = False  # the candidate stays current and may be judged again
        if self.repeat_round.study is not None:  # it says itself that it is done
            self.refresh()  # with the verdict that the last reading did not show
            return
        self.message.emit(self.tr("All candidates in this list are judged"))
        self._show_verdict()

    def _on_search_failed(self, error: WorkbenchError) -> None:
        self._is_leaving = False
        self.report_error(error)

    def _on_position_found(self, row: QueueRow | None) -> None:
        """Take over the current candidate's position in the new order."""
        self.row = None if row is None else self.blind_mode.without_own_verdict(row)
        self.row_changed.emit(self.row)
        if row is not None:
            self._cache.load(self.queue, row)
        if self._is_leaving:
            self.next_unjudged()

    def _show(self, row: QueueRow | None) -> None:
        if not self._save_comment():
            return
        self._search.cancel()
        before, self.row = self.row, row
        self._painted_at = None
        self._is_leaving = False
        self.fault = ""
        self.opinion = self.saved_opinion = Opinion() if row is None else row.opinion
        self._cache.move(self.queue, row, before)
        self.blind_mode.note_shown(self.row)
        self.candidate_changed.emit(row)
        self.opinion_changed.emit(self.opinion)
        self._set_spectrum(None if row is None else self._reader.read(row.candidate))

    def refresh(self) -> None:
        """Read the row of the current candidate again."""
        if self.row is None or self._is_closed or self.verdicts.is_writing:
            return
        try:
            found = row_of(self.session, self.row.candidate.id, self.queue.sort)
        except WorkbenchError as error:
            self.report_error(error)
            return
        self.row = row = self.blind_mode.without_own_verdict(found)
        self.blind_mode.note_shown(self.row)
        if row.opinion != self.saved_opinion:
            is_untouched = self.opinion == self.saved_opinion
            self.saved_opinion = row.opinion
            if is_untouched:
                self.opinion = row.opinion
                self.opinion_changed.emit(row.opinion)
        self.row_changed.emit(row)

    def _show_verdict(self) -> None:
        """Update the window after a verdict on a candidate that stays."""
        self.blind_mode.note_shown(self.row)
        self.row_changed.emit(self.row)
        self.opinion_changed.emit(self.opinion)

    def _set_spectrum(self, spectrum: Spectrum | None, fault: str = "") -> None:
        self.spectrum, self.fault = spectrum, fault
        self._painted_at = None
        self.spectrum_changed.emit(spectrum)
        if fault:
            self.spectrum_failed.emit(fault)

    def _prefetch(self, neighbours: QueueNeighbours) -> None:
        if self.candidate is not None:
            self._reader.prefetch_around(self.candidate, neighbours.ahead, neighbours.before)

    def change(self, opinion: Opinion, *, save: bool) -> None:
        if self.candidate is None or opinion == (self.saved_opinion if save else self.opinion):
            return
        if save:
            # Never save a pending verdict here: only `judge` does that.
            if not self._record(replace(opinion, verdict=self.saved_opinion.verdict)):
                self.opinion_changed.emit(self.opinion)
                return
            self.row_changed.emit(self.row)
        self.opinion = opinion
        self.opinion_changed.emit(opinion)

    def _save_comment(self) -> bool:
        """Save what was typed, a comment, a field or a velocity; return False if that failed."""
        now = self.opinion
        typed = replace(
            self.saved_opinion, comment=now.comment, fields=now.fields, velocity=now.velocity
        )
        return self.row is None or typed == self.saved_opinion or self._record(typed)

    def _record(self, opinion: Opinion) -> bool:
        assert self.row is not None
        try:
            entry = self.verdicts.record(self.row, opinion, self._painted_at, self.order_met)
        except WorkbenchError as error:
            self.report_error(error)
            return False
        if entry is not None:
            self.row = judged_row(self.row, entry)
            self.judged.emit(entry)
        self.saved_opinion = opinion
        return True

    def _undo_or_redo(self, kind: Literal["undo", "redo"], nothing: str, done: str) -> None:
        if self._save_comment():
            on_done = partial(self._on_taken_back, nothing, done)
            self.verdicts.undo_or_redo(kind, on_done, self.report_error)

    def _on_taken_back(self, nothing: str, done: str, changed: LogEntry | Repeat | None) -> None:
        if changed is None:
            self.message.emit(nothing)
            return
        self.go_to(changed.candidate_id)
        if not isinstance(changed, Repeat):
            self.judged.emit(changed)
        self.message.emit(undone_text(changed, done))


class LateAnswers(QObject):
    """Does nothing where the task has no claims about catalogues: then no row changes."""

    def __init__(self, bridge: SessionBridge, current: CurrentCandidate, parent: QObject) -> None:
        super().__init__(parent)
        self._current = current
        self._answered: set[int] = set()  # candidates that wait for being read again
        self._timer = QTimer(self, singleShot=True, interval=WAIT_MS)
        self._timer.timeout.connect(self._refresh)
        if bridge.session.task.catalogue:
            bridge.evidence_changed.connect(self._on_evidence_changed)
            current.candidate_changed.connect(self._start_if_here)

    def _on_evidence_changed(self, change: Change) -> None:
        self._answered |= change.candidate_ids
        self._start_if_here()

    def _start_if_here(self, _: object = None) -> None:
        if self._current.candidate_id in self._answered and not self._timer.isActive():
            self._timer.start()

    def _refresh(self) -> None:
        if (here := self._current.candidate_id) in self._answered:
            self._answered.discard(here)
            self._current.refresh()


# Changes a person's opinion on a candidate that is on screen or has just left it.
def amend(current: CurrentCandidate, candidate_id: int, change: ChangeOpinion) -> bool:
    """Change the opinion on that candidate and no other; return False if it was not saved."""
    if current.candidate_id == candidate_id:
        wanted = change(current.opinion)
        current.change(wanted, save=True)
        return current.opinion == wanted
    try:
        entry = current.verdicts.amend(candidate_id, change)
    except WorkbenchError as error:
        current.report_error(error)
        return False
    if entry is not None:
        current.judged.emit(entry)
    return True


def with_subclass(path: str) -> ChangeOpinion:
    return lambda opinion: replace(opinion, subclass=path)


def with_comment(comment: str) -> ChangeOpinion:
    return lambda opinion: replace(opinion, comment=comment)


def with_flag_toggled(flag: str) -> ChangeOpinion:
    return lambda opinion: replace(opinion, flags=toggled(opinion.flags, flag))


def with_field(name: str, value: FieldValue | None) -> ChangeOpinion:
    return lambda opinion: replace(opinion, fields=with_value(opinion.fields, name, value))


def toggled(flags: tuple[str, ...], flag: str) -> tuple[str, ...]:
    """The flags without this one if it is there, else with it."""
    return tuple(each for each in flags if each != flag) if flag in flags else (*flags, flag)
