"""Gives one candidate or several a verdict, a flag or a comment in one act.

A verdict needs a spectrum that was seen. Where spectra of the selected candidates were not on
screen, the person is asked once; the session keeps that an act on several was done in the overview.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from agent.errors import WorkbenchError
from app.core.inspections.seen import seen_of
from app.core.queue import QueueRow
from app.core.session.group_acts import ChangeOpinion
from app.core.session.known_answers import KnownAnswer, known_among
from app.core.session.records import MAX_COMMENT, LogEntry, Opinion, Verdict
from app.core.session.session import Session
from app.core.session.subclass_and_fields import FieldValue
from app.ui.session.candidate.blind_mode import hidden_in_blind, what_was_seen
from app.ui.session.candidate.current import CurrentCandidate, with_field
from app.ui.session.session_context import SessionContext

PLACE = "overview"
SLOW_MS = 700  # after which a person wants to know that something is being done


@dataclass(frozen=True)
class Question:
    """What the person must confirm: this verdict for rows of which so many were not on screen."""

    verdict: Verdict
    rows: tuple[QueueRow, ...]
    unopened: int
    reason: str = ""  # a comment that goes with it
    told: str = ""  # what is asked, if that is not the usual
    keeps: bool = False  # whether those that have a verdict by now keep it


class GroupActs(QObject):
    """Writes in the background, one act at a time."""

    asked = Signal(object)  # a `Question`; `confirm` gives the verdict
    judged = Signal()  # a verdict is saved, with its reason

    def __init__(self, context: SessionContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current: CurrentCandidate = context.current
        self._session: Session = context.bridge.session
        self.is_busy = False
        self._slow = QTimer(self, interval=SLOW_MS, singleShot=True)
        slow = self.tr("Saving; thousands take a minute…")
        self._slow.timeout.connect(partial(self._current.message.emit, slow))

    def judge(
        self, verdict: Verdict, reason: str, rows: Sequence[QueueRow], *, keeps: bool = False
    ) -> None:
        """Give a verdict with a reason, which may be empty, or ask first."""
        readable = tuple(row for row in rows if not row.candidate.fault)
        if not readable:
            self._current.message.emit(self.tr("Not judged: these spectra cannot be read"))
            return
        fresh = [row for row in readable if row.opinion.verdict is None]
        unopened = sum(row.candidate.id not in self._current.painted_ids for row in fresh)
        question = Question(verdict, readable, unopened, reason.strip(), keeps=keeps)
        if unopened:
            self.asked.emit(question)
        elif len(readable) == 1:
            self._judge_one(question)
        else:
            self.confirm(question)

    def _judge_one(self, question: Question) -> None:
        """As on the page of its own, saved when this returns: the next key may follow at once."""
        row, (verdict, reason) = question.rows[0], (question.verdict, question.reason)
        with self._current.reporting():
            opinion = _judged(verdict, reason, question.keeps, row.opinion)
            entry = self._current.verdicts.record(row, opinion, None, self._current.order_met)
            known = known_among(self._session, [row.candidate.id])
            if row.candidate.id == self._current.candidate_id:
                self._current.refresh()
            self._verdict_given(_Given([] if entry is None else [entry], known))

    def confirm(self, question: Question) -> None:
        change = partial(_judged, question.verdict, question.reason, question.keeps)
        self._act(question.rows, change, question.verdict)

    def toggle_flag(self, flag: str, rows: Sequence[QueueRow]) -> None:
        """Set a flag on all, or remove it where all have it."""
        has_all = all(flag in row.opinion.flags for row in rows)
        self._act(rows, partial(_unflagged if has_all else _flagged, flag))

    def add_comment(self, comment: str, rows: Sequence[QueueRow]) -> None:
        """Add a comment behind what each has."""
        if comment.strip():
            self._act(rows, partial(_commented, comment.strip()))

    def set_subclass(self, path: str, rows: Sequence[QueueRow]) -> None:
        """Give the accepted ones among them a sub-class; the others stay as they are."""
        mine = [(row, row.mine) for row in rows]
        accepted = [row for row, own in mine if own and own.opinion.verdict is Verdict.ACCEPT]
        if not accepted:
            self._current.message.emit(self.tr("Only what is accepted has a sub-class"))
        else:
            self._act(accepted, partial(_subclassed, path))

    def set_field(self, name: str, value: FieldValue | None, rows: Sequence[QueueRow]) -> None:
        self._act(rows, with_field(name, value))

    def undo(self) -> None:
        self._start(self._session.undo, partial(self._taken_back, self.tr("Nothing to undo")))

    def redo(self) -> None:
        self._start(self._session.redo, partial(self._taken_back, self.tr("Nothing to redo")))

    def _act(
        self, rows: Sequence[QueueRow], change: ChangeOpinion, verdict: Verdict | None = None
    ) -> None:
        is_blind = self._current.blind_mode.is_on
        self._current.blind_mode.save()
        noted, ids = self._current.evidence, {row.candidate.id for row in rows}
        told = {number: dict(noted[number]) for number in noted.keys() & ids}
        order = self._current.order_met
        work = partial(_record, self._session, tuple(rows), change, is_blind, told, order)
        if verdict is None:
            self._start(work, self._done)
        else:
            self._start(partial(_record_verdict, self._session, work), self._verdict_given)

    def _start(self, work: Callable[[], object], done: Callable[[object], None]) -> None:
        if self._session.is_read_only:
            text = self.tr("This session is read-only: verdicts cannot be saved")
            self._current.message.emit(text)
            return
        with self._current.reporting():
            self._current.verdicts.start(work, self._if_here(done), self._if_here(self._failed))
            self._set_busy(True)

    def _if_here(self, then: Callable[[Any], None]) -> Callable[[Any], None]:
        """Call it unless this page was deleted meanwhile."""
        return lambda result: then(result) if isValid(self) else None

    def _done(self, entries: object) -> None:
        self._set_busy(False)
        assert isinstance(entries, list)
        text = self.tr("Saved: {n} changed. Undo takes all of it back")
        text = text if entries else self.tr("Nothing to change")
        self._current.message.emit(text.replace("{n}", f"{len(entries):,}"))

    def _verdict_given(self, saved: object) -> None:
        """As after a single verdict, say what was known, but not of which."""
        assert isinstance(saved, _Given)
        self._done(saved.entries)
        self.judged.emit()
        if saved.known and saved.entries:
            verdict = saved.entries[0].opinion.verdict
            right = sum(each.is_right(verdict) for each in saved.known)
            text = self.tr("Saved: {n} changed. Known answers among them: {k}, judged right: {r}")
            text = text.replace("{n}", f"{len(saved.entries):,}")
            text = text.replace("{k}", f"{len(saved.known):,}").replace("{r}", f"{right:,}")
            self._current.message.emit(text)

    def _taken_back(self, nothing: str, entry: object) -> None:
        self._set_busy(False)
        if isinstance(entry, LogEntry):
            nothing = self.tr("Changed back: {n}").replace("{n}", f"{entry.others + 1:,}")
        self._current.message.emit(nothing)

    def _failed(self, error: WorkbenchError) -> None:
        self._set_busy(False)
        self._current.report_error(error)

    def _set_busy(self, on: bool) -> None:
        self.is_busy = on
        (self._slow.start if on else self._slow.stop)()


def _record(
    session: Session,
    rows: Sequence[QueueRow],
    change: ChangeOpinion,
    is_blind: bool,
    told: Mapping[int, Mapping[str, str]],
    order_met: str,
) -> list[LogEntry]:
    """With what the reviewer has seen of the agent's opinion on each candidate. Any thread."""
    results = seen_of(session, [row.candidate.id for row in rows])
    shown: dict[int, Mapping[str, Any]] = {}
    for row in rows:
        candidate, result = row.candidate, results.get(row.candidate.id)
        hides = is_blind and hidden_in_blind(row, result)
        shown[candidate.id] = what_was_seen(candidate, result, is_hidden=hides, is_blind=is_blind)
    return session.record_group_act(
        list(shown), change, shown=shown, evidence=told, place=PLACE, order_met=order_met
    )


@dataclass(frozen=True)
class _Given:
    """What an act with a verdict has changed, and what is known of it."""

    entries: list[LogEntry]
    known: list[KnownAnswer]


def _record_verdict(session: Session, work: Callable[[], list[LogEntry]]) -> _Given:
    entries = work()
    return _Given(entries, known_among(session, [each.candidate_id for each in entries]))


def _judged(verdict: Verdict, reason: str, keeps: bool, opinion: Opinion) -> Opinion:
    if keeps and opinion.verdict is not None:
        return opinion
    subclass = opinion.subclass if verdict is Verdict.ACCEPT else ""
    return _commented(reason, replace(opinion, verdict=verdict, subclass=subclass))


def _subclassed(path: str, opinion: Opinion) -> Opinion:
    """Somebody may have changed the verdict since the row was read."""
    is_accepted = opinion.verdict is Verdict.ACCEPT
    return replace(opinion, subclass=path) if is_accepted else opinion


def _flagged(flag: str, opinion: Opinion) -> Opinion:
    return replace(opinion, flags=tuple(dict.fromkeys((*opinion.flags, flag))))


def _unflagged(flag: str, opinion: Opinion) -> Opinion:
    return replace(opinion, flags=tuple(each for each in opinion.flags if each != flag))


def _commented(comment: str, opinion: Opinion) -> Opinion:
    if comment in opinion.comment:
        return opinion
    whole = f"{opinion.comment}; {comment}" if opinion.comment else comment
    return replace(opinion, comment=whole[:MAX_COMMENT])
