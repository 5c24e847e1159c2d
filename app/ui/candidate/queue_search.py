"""Looks for a line of the queue: at once in a short list, in the runner in a long one.

A filter that no index answers may have to look at all of a million rows, and an order nobody asked
for before needs its index first: neither may hold the window.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from agent.errors import WorkbenchError
from app.core.queue import QueueRow
from app.core.session.session import Session
from app.ui.background.runner import Runner

LONG = 5_000
"""From so many candidates on it takes longer than a frame."""

Look = Callable[[], QueueRow | None]
Then = Callable[[QueueRow | None], None]


class QueueSearch(QObject):
    """One search at a time: what is asked for during one is not begun, but for what comes after
    `forget`."""

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
        """Its number, while one is on."""
        self._count = 0
        self.is_long = False
        self.measure()

    @property
    def is_busy(self) -> bool:
        return self._search != 0

    def measure(self) -> None:
        """The list may have grown."""
        self.is_long = self._session.count() > LONG

    def forget(self) -> None:
        """What is found from now on is of no use any more."""
        self._search = 0

    def seek(self, look: Look, then: Then) -> None:
        """`then` gets what is found, now or later."""
        if self.is_busy:
            return
        if self.is_long:
            self._count += 1
            self._search = number = self._count
            found, failed = partial(self._found, number, then), partial(self._could_not, number)
            self._runner.run(look, found, failed, owner=self)
            return
        try:
            line = look()
        except WorkbenchError as error:
            self._failed(error)
        else:
            then(line)

    def _found(self, number: int, then: Then, line: QueueRow | None) -> None:
        if number == self._search:
            self._search = 0
            then(line)

    def _could_not(self, number: int, error: WorkbenchError) -> None:
        if number == self._search:
            self._search = 0
            self._failed(error)
