"""Starts and ends our own hub, where no other runs."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Self

from agent.child_process.child_command import child_command
from agent.child_process.start_child import end_child, start_child
from app.services.samp.library import SampError

CHILD, MODULE = "samp-hub", "app.services.samp.hub_child"
START_S = 30.0
STOP_S = 3.0
POLL_S = 0.1
MAX_WORD = 100
READY, TAKEN = b"ready", b"taken"
"""What it says when it listens, and where another hub was quicker."""


class OwnHub:
    """A hub that listens on 127.0.0.1 only and leaves no lock file behind. Any thread."""

    def __init__(self) -> None:
        try:
            # Its own session keeps Ctrl-C in a terminal from it: it ends when its input does.
            self._process = start_child(
                child_command(CHILD, ["-m", MODULE]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise SampError(f"the SAMP hub could not be started: {error}") from error
        self.pid = self._process.pid

    @classmethod
    def start(cls, should_stop: Callable[[], bool]) -> Self | None:
        """Start it and wait until it listens; None if another was quicker. Raises SampError."""
        hub, said = cls(), threading.Event()
        watcher = threading.Thread(target=hub._watch, args=(said, should_stop), name="SAMP hub")
        watcher.start()
        try:
            assert hub._process.stdout is not None
            word = hub._process.stdout.readline(MAX_WORD).strip()
        finally:
            said.set()
            watcher.join()
        if word == READY:
            return hub
        hub.stop()
        if word != TAKEN:
            raise SampError("the SAMP hub could not be started: it ended at once or took too long")
        return None

    def _watch(self, said: threading.Event, should_stop: Callable[[], bool]) -> None:
        """Kill it if it says nothing in time, or nobody waits for it any more."""
        until = time.monotonic() + START_S
        while not said.wait(POLL_S):
            if should_stop() or time.monotonic() > until:
                self._process.kill()
                return

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """Let it tell the programs that it ends and remove its lock file; else kill it."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        end_child(self._process, STOP_S)
