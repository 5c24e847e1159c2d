"""Processes as the system sees them."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

# Longer than anything here takes, even on a busy machine.
LONG_S = 60.0


def runs(pid: int) -> bool:
    """Whether it is there and no zombie, which nobody may have asked for yet."""
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return found.stdout.strip()[:1] not in ("", "Z")


def wait_until(is_so: Callable[[], object], seconds: float = LONG_S) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.01)


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
