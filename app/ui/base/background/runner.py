"""Runs work that takes longer than a frame outside the GUI thread.

The work takes plain values and touches no widget. Its result is delivered on the GUI thread unless
the owner has been deleted.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from shiboken6 import isValid

from agent.errors import WorkbenchError
from agent.web.body import stop_this_thread

# Longer than Qt delays a repaint; a zero timer may fire before it.
PAINTED_MS = 10
SWITCH_S = 0.001
"""How long a thread at work keeps Python's lock when the window waits for it: Python's 5 ms are
too long, as a repaint takes the lock dozens of times."""

Work = Callable[[], Any]
Done = Callable[[Any], None]
Failed = Callable[[WorkbenchError], None]

# A thousand signals per second would block the window.
MIN_INTERVAL_S = 0.05


class Runner(QObject):
    """A small thread pool; closing it drops waiting work and waits for running work.

    What running work asks a server for ends then, too.
    """

    failed = Signal(object)  # a WorkbenchError of work that was started without a `failed` callback

    _ended = Signal(object, object, object, object)

    def __init__(self, parent: QObject | None = None, threads: int = 3) -> None:
        super().__init__(parent)
        sys.setswitchinterval(SWITCH_S)
        self._is_closed, self._stop = False, threading.Event()
        self._pool = ThreadPoolExecutor(
            threads, "window work", stop_this_thread, (self._stop.is_set,)
        )
        self._under_way = 0
        self._waiting: list[Callable[[], object]] = []
        self._timer = QTimer(self, singleShot=True, interval=PAINTED_MS)
        self._timer.timeout.connect(self._start_waiting)
        self._ended.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def is_busy(self) -> bool:
        """Whether anything was given whose result is not delivered yet."""
        return self._under_way > 0

    def run(
        self,
        work: Work,
        done: Done = lambda result: None,
        failed: Failed | None = None,
        owner: QObject | None = None,
    ) -> Future[Any]:
        """Run `work` in a thread and call `done` with its result or `failed` with a WorkbenchError.

        Neither is called once `owner` is deleted. Any other exception is a bug and is raised on
        the GUI thread.
        """
        if self._is_closed:  # a timer of some widget may fire after closing
            cancelled: Future[Any] = Future()
            cancelled.cancel()
            return cancelled
        future = self._pool.submit(work)
        self._under_way += 1

        def end(ended: Future[Any]) -> None:
            if not self._is_closed:
                self._ended.emit(ended, done, failed, owner)

        future.add_done_callback(end)
        return future

    def run_soon(
        self,
        work: Work,
        done: Done = lambda result: None,
        failed: Failed | None = None,
        owner: QObject | None = None,
    ) -> None:
        """Like `run`, but after the next repaint, which the work would slow down."""
        self._waiting.append(partial(self.run, work, done, failed, owner))
        # From the event loop: a machine that stalls before it would let the time pass unpainted.
        QTimer.singleShot(0, self._timer.start)

    def latest(self, owner: QObject, *, soon: bool = False) -> LatestAnswer:
        """For questions of which only the latest counts."""
        return LatestAnswer(self.run_soon if soon else self.run, owner)

    def close(self, *, waits: bool = True) -> None:
        """`waits` False lets the work that was given end by itself, and tells nobody."""
        self._is_closed = True
        self._waiting.clear()
        if waits:
            self._stop.set()
        self._pool.shutdown(wait=waits, cancel_futures=waits)

    def _start_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for start in waiting:
            start()

    def _deliver(
        self, future: Future[Any], done: Done, failed: Failed | None, owner: QObject | None
    ) -> None:
        self._under_way -= 1
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


class LatestAnswer:
    """Asks in the background; an answer counts only while nothing else has been asked since."""

    def __init__(self, run: Callable[..., object], owner: QObject) -> None:
        self._run, self._owner = run, owner
        self._asked: object = None

    def ask(self, work: Work, done: Done, failed: Failed | None = None) -> None:
        asked = self._asked = object()
        missed = None if failed is None else partial(self._tell, asked, failed)
        self._run(work, partial(self._tell, asked, done), missed, owner=self._owner)

    def forget(self) -> None:
        """Nothing is asked any more."""
        self._asked = None

    def _tell(self, asked: object, tell: Done, answer: Any) -> None:
        if asked is self._asked:
            tell(answer)


class LongWork(QObject):
    """The worker thread calls `report` and `should_stop`, the GUI thread everything else."""

    progressed = Signal(int, object)  # Units done and their total; the total is None if unknown.

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stop = threading.Event()
        self._reported_at = 0.0

    def begin(self) -> None:
        self._stop.clear()
        self._reported_at = 0.0

    def stop(self) -> None:
        """Ask the work to stop at its next step, changing nothing."""
        self._stop.set()

    def should_stop(self) -> bool:
        return self._stop.is_set()

    def report(self, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now - self._reported_at >= MIN_INTERVAL_S:
            self._reported_at = now
            self.progressed.emit(done, total)
