"""Where a person's opinions are written down, and taken back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from app.core.agreement.repeats import Repeat, withdraw_repeat
from app.core.queue import Line
from app.core.records import LogEntry, Opinion
from app.core.session import Session
from app.ui.blindness import Blindness


class Notebook:
    """On the thread of the window: what was pressed is on the disk when a call returns."""

    def __init__(self, session: Session, blindness: Blindness) -> None:
        self._session, self._blindness = session, blindness
        self.is_writing = False
        """What the session tells meanwhile comes from here."""

    def record(self, line: Line, opinion: Opinion, painted_at: float | None) -> LogEntry | None:
        """With what was seen of the agent until now, and the time since it was painted."""
        spent = None if painted_at is None else time.monotonic() - painted_at
        shown = self._blindness.shown(line)
        with self._writing():
            return self._session.record_verdict(
                line.candidate.id, opinion, seconds=spent, shown=shown
            )

    def undo(self) -> LogEntry | Repeat | None:
        """The last thing the reviewer did."""
        with self._writing():
            repeat = withdraw_repeat(self._session)
            return self._session.undo() if repeat is None else repeat

    def redo(self) -> LogEntry | None:
        with self._writing():
            return self._session.redo()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self.is_writing = True
        try:
            yield
        finally:
            self.is_writing = False
