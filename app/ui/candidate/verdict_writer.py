"""Where a person's opinions are written down, and taken back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from app.core.queue import QueueRow
from app.core.session.records import LogEntry, Opinion
from app.core.session.session import Session
from app.core.statistics.repeats import Repeat, record_repeat, withdraw_repeat
from app.ui.candidate.blind_mode import BlindMode


class VerdictWriter:
    """On the thread of the window: what was pressed is on the disk when a call returns."""

    def __init__(self, session: Session, blind_mode: BlindMode) -> None:
        self._session, self._blind_mode = session, blind_mode
        self._repeated: int | None = None
        """The candidate of the last repeat, if nothing came since."""
        self.is_writing = False
        """What the session tells meanwhile comes from here."""

    def record(self, line: QueueRow, opinion: Opinion, painted_at: float | None) -> LogEntry | None:
        """With what was seen of the agent until now, and the time since it was painted. None: it
        was no news, or of an object that is shown again."""
        spent = None if painted_at is None else time.monotonic() - painted_at
        number = line.candidate.id
        with self._writing():
            if self._blind_mode.is_again(number):
                self._repeat(number, opinion, spent)
                return None
            self._repeated = None
            shown = self._blind_mode.shown(line)
            entry = self._session.record_verdict(number, opinion, seconds=spent, shown=shown)
        if shown:
            self._blind_mode.written(number)
        return entry

    def undo(self) -> LogEntry | Repeat | None:
        """The last thing the reviewer did."""
        self._repeated = None
        with self._writing():
            repeat = withdraw_repeat(self._session)
            return self._session.undo() if repeat is None else repeat

    def redo(self) -> LogEntry | None:
        self._repeated = None
        with self._writing():
            return self._session.redo()

    def _repeat(self, number: int, opinion: Opinion, spent: float | None) -> None:
        """The first opinion stays what it was. Another word on the same object is in the place of
        the one just said; without a verdict nothing is said yet."""
        if opinion.verdict is None:
            return
        if self._repeated == number:
            withdraw_repeat(self._session)
        record_repeat(self._session, number, opinion, seconds=spent)
        self._repeated = number

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self.is_writing = True
        try:
            yield
        finally:
            self.is_writing = False
