"""Limits for the part of us that listens: what comes in is small, and nothing waits for ever."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

MAX_MESSAGE = 16 * 1024 * 1024
SILENCE_S = 10.0
PAUSE_S = 0.001
"""Before each message, so that the window's thread gets its turn."""


def put_limits(server: Any, refuse: Callable[[str], object]) -> None:
    """Bound what the server of a library's client reads, before it starts.

    Any program of this machine can connect, not only the hub: a message is not read whole before
    its size is known. `refuse` is told of a message that is too large.
    """

    class Handler(server.RequestHandlerClass):  # type: ignore[misc]
        timeout = SILENCE_S
        """Of the socket: a connection that says nothing is closed."""

        def do_POST(self) -> None:
            length = self.headers.get("content-length") or ""
            if not (length.isascii() and length.isdecimal() and len(length) < 20):
                self.send_error(411)
            elif int(length) > MAX_MESSAGE:
                self.send_error(413)
                refuse(f"a message of {int(length) / 1e6:,.0f} MB: it is too large")
            else:
                super().do_POST()

        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            """Programs that go away in the middle are no news."""

    turn, answer = threading.Lock(), server._marshaled_dispatch

    def one_after_another(*arguments: Any) -> Any:
        # Each connection has its thread. Those of a flood would take turns with the window's.
        with turn:
            time.sleep(PAUSE_S)
            return answer(*arguments)

    server.RequestHandlerClass = Handler
    server._marshaled_dispatch = one_after_another
    server.daemon_threads = True  # closing does not wait for a connection that says nothing
    server.handle_error = _ignore


def _ignore(request: object, address: object) -> None:
    """A program went away in the middle of a message."""
