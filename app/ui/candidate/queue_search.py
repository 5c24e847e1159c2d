"""Searches the queue for a row: at once in a short list, in the background in a long one.

A filter without an index may scan a million rows, and a new sort order first needs an index;
neither may block the window.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from agent.errors import WorkbenchError
from app.core.queue import QueueRow
from app.core.session.session import Session
from app.ui.background.runner import Runner

LONG_QUEUE = 5_000
"""With more candidates a search may take longer than a frame."""

Find = Callable[[], QueueRow | None]
Done = Callable[[QueueRow | None], None]


class QueueSearch(QObject):
    """Runs one search at a time; requests made while one is running are dropped."""

    def __init__(
        self,
        session: Session,
        runner: Runner,
        failed: Callable[[WorkbenchError], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._runner, self._failed = session, runner, failed
        self._search = 0
        """Number of the running search; 0: none."""
        self._count = 0
        self.is_long = False
        self.update_length()

    @property
    def is_busy(self) -> bool:
        return self._search != 0

    def update_length(self) -> None:
        self.is_long = self._session.count() > LONG_QUEUE

    def cancel(self) -> None:
        """Ignore the result of the running search."""
        self._search = 0

    def start(self, find: Find, done: Done) -> None:
        """Call `done` with the row found, now or later."""
        if self.is_busy:
            return
        if self.is_long:
            self._count += 1
            self._search = number = self._count
            found, failed = partial(self._on_found, number, done), partial(self._on_failed, number)
            self._runner.run(find, found, failed, owner=self)
            return
        try:
            row = find()
        except WorkbenchError as error:
            self._failed(error)
        else:
            done(row)

    def _on_found(self, number: int, done: Done, row: QueueRow | None) -> None:
        if number == self._search:
            self._search = 0
            done(row)

    def _on_failed(self, number: int, error: WorkbenchError) -> None:
        if number == self._search:
            self._search = 0
            self._failed(error)
