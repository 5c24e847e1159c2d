"""Threads that take turns at computing, and leave it to others while they wait for a server.

Python runs one thread at a time. Where hundreds want to run, each wakes up 200 times a second to
ask for it, and each call that lets go of Python's lock queues behind all others: that costs as
much as the work itself.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

AT_ONCE = 1  # threads of a process that may compute

_turns = threading.BoundedSemaphore(AT_ONCE)
_own = threading.local()


@contextmanager
def computing() -> Iterator[None]:
    """Wait for this thread's turn, and end it."""
    _begin()
    try:
        yield
    finally:
        _end()


@contextmanager
def waiting() -> Iterator[None]:
    """Leave the turn to another thread meanwhile; nothing happens in a thread that has none."""
    if not getattr(_own, "has_turn", False):
        yield
        return
    _end()
    try:
        yield
    finally:
        _begin()


def _begin() -> None:
    _turns.acquire()
    _own.has_turn = True


def _end() -> None:
    _own.has_turn = False
    _turns.release()
