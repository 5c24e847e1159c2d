"""Messages of other programs, worked off one after another in a thread of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from app.services.samp.fetching import fetch
from app.services.samp.library import RefusedMessage
from app.services.samp.received import PICKS, FileOffered, NotFollowed, Received, checked

MAX_WAITING = 50
"""Messages that are not worked off yet; more are refused."""
UNKNOWN = "a program"


class Inbox:
    """`receive` is told of each message that is sound, or that one was refused, in that thread."""

    def __init__(
        self,
        receive: Callable[[Received | NotFollowed], object],
        folder: Path,
        name_of: Callable[[str], str],
        reply: Callable[[str, str], object],
    ) -> None:
        """`folder` takes the files of others; `reply` takes the id of a call and what is wrong."""
        self._receive, self._folder = receive, folder
        self._name_of, self._reply = name_of, reply
        self._stop = threading.Event()
        self._free = threading.Semaphore(MAX_WAITING)
        self._pool: ThreadPoolExecutor | None = None
        self._pick: tuple[object, object, str, object] | None = None
        """The pick that waits: of a flood of them the last one counts."""
        self._lock = threading.Lock()

    def open(self) -> None:
        self._stop.clear()
        self._pick = None
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="SAMP messages")

    def stop_soon(self) -> None:
        self._stop.set()

    def close(self) -> None:
        """Drop what is waiting; what is being fetched ends early."""
        self._stop.set()
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)

    def refuse(self, reason: str, sender: str = UNKNOWN) -> None:
        self._receive(NotFollowed(sender=sender, reason=reason))

    def take(
        self, _: str, sender: object, call: object, mtype: str, params: object, __: object
    ) -> None:
        """The library calls this in a thread of the message; `call` is None if no reply is due."""
        pool = self._pool
        if pool is None or self._stop.is_set():
            return
        if mtype in PICKS:
            with self._lock:
                before, self._pick = self._pick, (sender, call, mtype, params)
            if before is not None:
                self._answer(before[1], "a later message took its place")
                return
            with suppress(RuntimeError):  # it was closed just now
                pool.submit(self._work_off_pick)
            return
        if not self._free.acquire(blocking=False):
            self._answer(call, "too many messages at once")
            return
        try:
            pool.submit(self._work_off_and_free, sender, call, mtype, params)
        except RuntimeError:  # it was closed just now
            self._free.release()

    def _work_off_pick(self) -> None:
        with self._lock:
            pick, self._pick = self._pick, None
        if pick is not None:
            self._work_off(*pick)

    def _work_off_and_free(self, sender: object, call: object, mtype: str, params: object) -> None:
        try:
            self._work_off(sender, call, mtype, params)
        finally:
            self._free.release()

    def _work_off(self, sender: object, call: object, mtype: str, params: object) -> None:
        name = self._name_of(sender) if isinstance(sender, str) else UNKNOWN
        try:
            received = checked(mtype, params, name)
            if isinstance(received, FileOffered):
                path = fetch(received, self._folder, self._stop.is_set)
                received = replace(received, path=path)
        except RefusedMessage as error:
            self._answer(call, str(error))
            self.refuse(str(error), name)
            return
        # Only now: a program that sends one table and ends takes its file with it.
        self._answer(call)
        self._receive(received)

    def _answer(self, call: object, fault: str = "") -> None:
        if isinstance(call, str):
            self._reply(call, fault)
