"""Processes as the system sees them."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

# Twenty times what anything here takes.
LONG_S = 300.0
Found = TypeVar("Found")
LOOK_AGAIN = partial(time.sleep, 0.01)


def runs(pid: int) -> bool:
    """Whether it is there and no zombie, which nobody may have asked for yet."""
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return found.stdout.strip()[:1] not in ("", "Z")


def wait_until(
    find: Callable[[], Found], seconds: float = LONG_S, rest: Callable[[], object] = LOOK_AGAIN
) -> Found:
    """The first result that is true; `rest` is what is done before each look but the first."""
    until = time.monotonic() + seconds
    while not (found := find()):
        assert time.monotonic() < until, "it did not happen in time"
        rest()
    return found


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
