"""Work that takes longer than a frame, away from the window's thread.

The work takes plain values and touches no widget. What it returns arrives on the window's thread,
unless whoever asked is gone by then.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from shiboken6 import isValid

from agent.errors import WorkbenchError

PAINTED_MS = 10
"""Longer than Qt lets an update of the screen wait; a timer of nothing may go before it."""

Done = Callable[[Any], None]
Failed = Callable[[WorkbenchError], None]


class Runner(QObject):
    """Close it when done: what waits is dropped, what runs is waited for."""

    failed = Signal(object)
    """A WorkbenchError nobody else takes."""

    _ended = Signal(object, object, object, object)

    def __init__(self, parent: QObject | None = None, threads: int = 3) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="window work")
        self._is_closed = False
        self._waiting: list[Callable[[], object]] = []
        self._soon = QTimer(self, singleShot=True, interval=PAINTED_MS)
        self._soon.timeout.connect(self._begin)
        self._ended.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        work: Callable[[], Any],
        done: Done = lambda result: None,
        failed: Failed | None = None,
        owner: QObject | None = None,
    ) -> Future[Any]:
        """`done` gets the result, `failed` a WorkbenchError; neither once `owner` is deleted. Any
        other exception is our own mistake and rises on the window's thread."""
        if self._is_closed:  # a timer of a part of the window may come after it
            never: Future[Any] = Future()
            never.cancel()
            return never
        future = self._pool.submit(work)

        def end(ended: Future[Any]) -> None:
            if not self._is_closed:
                self._ended.emit(ended, done, failed, owner)

        future.add_done_callback(end)
        return future

    def run_soon(
        self,
        work: Callable[[], Any],
        done: Done = lambda result: None,
        failed: Failed | None = None,
        owner: QObject | None = None,
    ) -> None:
        """As `run`, but what a key asked for is painted first: two threads at work share Python."""
        self._waiting.append(partial(self.run, work, done, failed, owner))
        self._soon.start()

    def close(self) -> None:
        self._is_closed = True
        self._waiting.clear()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _begin(self) -> None:
        waiting, self._waiting = self._waiting, []
        for begin in waiting:
            begin()

    def _deliver(
        self, future: Future[Any], done: Done, failed: Failed | None, owner: QObject | None
    ) -> None:
        if self._is_closed or (owner is not None and not isValid(owner)):
            return
        try:
            result = future.result()
        except CancelledError:
            return
        except WorkbenchError as error:
            if failed is None:
                self.failed.emit(error)
            else:
                failed(error)
            return
        done(result)
