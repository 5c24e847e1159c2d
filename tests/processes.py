"""Processes as the system sees them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from socketserver import BaseServer
from typing import TypeVar

import psutil
import pytest

# Twenty times what anything here takes.
LONG_S = 300.0
Found = TypeVar("Found")
Made = TypeVar("Made", bound=BaseServer)


def runs(pid: int) -> bool:
    """Whether it is there and no zombie, which nobody may have asked for yet."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def held(pid: int) -> tuple[float, int, int, int]:
    """Memory of it and its children in MB, its open files and threads, and how many children."""
    process = psutil.Process(pid)
    children = process.children(recursive=True)
    memory = sum(each.memory_info().rss for each in (process, *children)) / 1024**2
    return memory, process.num_fds(), process.num_threads(), len(children)


def wait_until(
    find: Callable[[], Found], seconds: float = LONG_S, rest: Callable[[], object] | None = None
) -> Found:
    """The first result that is true; `rest` is what is done before each look but the first."""
    until = time.monotonic() + seconds
    while True:
        began = time.monotonic()
        if found := find():
            return found
        assert began < until, "it did not happen in time"
        if rest is not None:
            rest()
        else:
            # What is costly to look at is looked at seldom: it would slow down what is waited for.
            time.sleep(max(0.01, 5 * (time.monotonic() - began)))


def limit_files(size: int) -> None:
    """No file of this process grows beyond so many bytes, on Linux and macOS."""
    import resource

    # A module compiled to a file would be cut off, and fail for every later process.
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


@contextmanager
def full_disk() -> Iterator[None]:
    """No file of this process grows beyond a thousand bytes."""
    if sys.platform == "win32":
        pytest.skip("no limits there")
    import resource

    before, writes_none = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    limit_files(1000)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        sys.dont_write_bytecode = writes_none


@contextmanager
def served(server: Made) -> Iterator[Made]:
    """The server at work in a thread of its own; in the end it has answered what it began."""
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()  # waits for the threads of requests


def marked(name: str, value: str) -> list[int]:
    """The processes with this variable in their environment, on Linux."""
    words = os.fsencode(f"{name}={value}")
    found = []
    for each in Path("/proc").glob("[0-9]*/environ"):
        try:
            variables = each.read_bytes().split(b"\0")
        except OSError:  # it has just ended, or is someone else's
            continue
        if words in variables:
            found.append(int(each.parent.name))
    return found


def loaded(code: str, *names: str) -> list[str]:
    """Those of the modules that are there after a program has run the code."""
    code += f"\nimport sys; print(*(m for m in {names!r} if m in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout.split()
