"""Describes for users how a process ended."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from itertools import takewhile

from agent.checked_toml import printable

_SIGNALS = {
    "SIGKILL": "as when memory runs out",
    "SIGSEGV": "native code failed",
    "SIGBUS": "native code failed",
    "SIGILL": "native code is not made for this processor",
    "SIGABRT": "native code gave up",
    "SIGFPE": "native code failed",
}
_WINDOWS = {
    0xC0000005: "an access violation: native code failed",
    0xC000001D: "an illegal instruction: native code is not made for this processor",
    0xC0000017: "memory ran out",
    0xC00000FD: "a stack overflow: native code failed",
    0xC0000135: "a DLL was not found",
    0xC0000409: "a stack buffer overrun: native code failed",
}
_MAX_WORDS = 200
# How crash output begins: "Fatal Python error" when native code fails, "[PYI-" from PyInstaller.
_CRASH_TRACE = ("Fatal Python error", "[PYI-")


def describe_exit(code: int) -> str:
    """Complete the sentence "the process ..." for a `subprocess` return code."""
    if code >= 0:
        known = _WINDOWS.get(code)
        return f"died of {known}" if known else f"ended with status {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    why = _SIGNALS.get(name)
    return f"was killed by {name}" + (f" ({why})" if why else "")


def printable_lines(lines: Sequence[bytes]) -> list[str]:
    """Decode stderr lines without control characters; empty lines are dropped."""
    texts = (printable(line.decode("utf-8", "replace").rstrip(), _MAX_WORDS) for line in lines)
    return [text for text in texts if text.strip()]


def last_line(lines: Sequence[str]) -> str:
    """The last line the process itself wrote before it crashed, or an empty string."""
    own = list(takewhile(lambda line: not line.startswith(_CRASH_TRACE), lines))
    return own[-1].strip() if own else ""
