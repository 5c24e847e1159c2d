"""Writes a person's opinions to the session, and undoes them."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal

from PySide6.QtCore import QCoreApplication

from agent.errors import WorkbenchError
from app.core.errors import SessionError
from app.core.queue import QueueRow
from app.core.session.records import LogEntry, Opinion
from app.core.session.session import Session
from app.core.statistics.repeats import Repeat, record_repeat, withdraw_repeat
from app.ui.base.background.runner import Done, Failed, Runner
from app.ui.session.candidate.blind_mode import BlindMode

MOST_AT_ONCE = 5  # Candidates whose undo the window waits for: some 15 ms.
BUSY = "the last act is still being saved. Try again in a moment"


class VerdictWriter:
    """Writes on the GUI thread: a verdict is on disk when the call returns."""

    def __init__(self, session: Session, blind_mode: BlindMode, runner: Runner) -> None:
        self._session, self._blind_mode, self._runner = session, blind_mode, runner
        self.evidence: dict[int, dict[str, str]] = defaultdict(dict)
        """What services said of each candidate and was on screen since the session was opened."""
        self._last_repeat: int | None = None
        """Candidate id of the repeat recorded last, if nothing was recorded since."""
        self._repeat = Opinion()
        self._repeat_seconds: float | None = None
        self._repeat_shown: Mapping[str, Any] | None = None
        self.is_writing = False  # True while a change of the session comes from this object
        self.is_busy = False  # True while an act on many candidates is written in the background

    def record(
        self, row: QueueRow, opinion: Opinion, painted_at: float | None, order_met: str
    ) -> LogEntry | None:
        """Record the opinion with what was seen of agent and evidence, the order, and the seconds.

        Returns None if nothing changed or the candidate is a repeat.
        """
        self._refuse_if_busy()
        spent = None if painted_at is None else time.monotonic() - painted_at
        number = row.candidate.id
        with self._writing():
            if self._blind_mode.is_repeat(number):
                shown = self._blind_mode.seen_opinion(row) if self._blind_mode.in_study else None
                self._record_repeat(number, opinion, spent, shown)
                return None
            self._last_repeat = None
            seen = self._blind_mode.seen_opinion(row)
            told = dict(self.evidence[number])
            entry = self._session.record_verdict(
                number, opinion, seconds=spent, shown=seen, evidence=told, order_met=order_met
            )
        if seen:
            self._blind_mode.mark_recorded(number)
        return entry

    def amend(self, number: int, change: Callable[[Opinion], Opinion]) -> LogEntry | None:
        """Change the opinion on a candidate that is no longer on screen."""
        self._refuse_if_busy()
        with self._writing():
            if number == self._last_repeat:
                again = change(self._repeat), self._repeat_seconds, self._repeat_shown
                self._record_repeat(number, *again)
                return None
            if self._blind_mode.is_repeat(number):
                raise SessionError("a repeat can be changed only right after it was judged")
            self._last_repeat = None
            standing = self._session.judgement(number)
            before = Opinion() if standing is None else standing.opinion
            return self._session.record_verdict(number, change(before))

    def undo_or_redo(self, kind: Literal["undo", "redo"], done: Done, failed: Failed) -> None:
        """Undo or redo at once, or in the background where an act has changed many candidates."""
        action = self.undo if kind == "undo" else self.redo
        try:
            if self.is_busy or self._session.size_of_next(kind) > MOST_AT_ONCE:
                self.start(action, done, failed)
                return
            changed = action()
        except WorkbenchError as error:
            failed(error)
        else:
            done(changed)

    def start(self, work: Callable[[], Any], done: Done, failed: Failed) -> None:
        """Write in the background; until it has ended, nothing else is recorded."""
        self._refuse_if_busy()
        self.is_busy = True
        ended, missed = partial(self._end, done), partial(self._end, failed)
        self._runner.run(work, ended, missed, owner=self._blind_mode)

    def _refuse_if_busy(self) -> None:
        """What is written now would come before an undo that was asked for earlier, or put back
        flags that the act is changing."""
        if self.is_busy:
            raise SessionError(BUSY)

    def _end(self, then: Callable[[Any], None], result: object) -> None:
        self.is_busy = False
        then(result)

    def undo(self) -> LogEntry | Repeat | None:
        self._last_repeat = None
        with self._writing():
            repeat = withdraw_repeat(self._session)
            return self._session.undo() if repeat is None else repeat

    def redo(self) -> LogEntry | None:
        self._last_repeat = None
        with self._writing():
            return self._session.redo()

    def _record_repeat(
        self, number: int, opinion: Opinion, spent: float | None, shown: Mapping[str, Any] | None
    ) -> None:
        """Record a repeated verdict; the first verdict of the candidate stays as it was."""
        if opinion.verdict is None:
            return
        if self._last_repeat == number:  # changed at once: replaces the repeat just recorded
            withdraw_repeat(self._session)
        record_repeat(self._session, number, opinion, seconds=spent, shown=shown)
        self._last_repeat, self._repeat = number, opinion
        self._repeat_seconds, self._repeat_shown = spent, shown

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self.is_writing = True
        try:
            yield
        finally:
            self.is_writing = False


def undone_text(changed: LogEntry | Repeat, done: str) -> str:
    """What an undo or redo has changed; `done` is the sentence for one candidate."""
    translate = QCoreApplication.translate
    if isinstance(changed, Repeat):
        return translate("undone", "The repeated verdict was undone")
    if changed.others:
        text = translate("undone", "{n} candidates changed together")
        return text.replace("{n}", f"{changed.others + 1:,}")
    what = changed.opinion.verdict or translate("undone", "without a verdict")
    return done.replace("{what}", str(what))
