"""What took the whole program down, in native code: Python writes where each thread was, and the
next start makes a crash report of it."""

from __future__ import annotations

import faulthandler
import os
from contextlib import suppress
from pathlib import Path
from typing import IO

from app.ui.crash.crash_report import CrashReport, bounded, cleaned, described, write_report

PREFIX = "native-"
MAX_BYTES = 60_000
MOST_TAKEN = 5
"""Of one start: the rest are thrown away."""


class NativeWatch:
    """From `begin` to `end`; a file of its own, for two programs may run at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._place = folder / f"{PREFIX}{os.getpid()}.txt"
        self._file: IO[bytes] | None = None

    def begin(self) -> list[CrashReport]:
        """What programs before this one died of, as reports."""
        found = taken_over(self._folder)
        with suppress(OSError):  # where nothing can be written it goes without
            self._folder.mkdir(parents=True, exist_ok=True)
            if not faulthandler.is_enabled():  # somebody wants it elsewhere
                self._file = self._place.open("wb")
                faulthandler.enable(self._file)
        return found

    def end(self) -> None:
        if self._file is not None:
            faulthandler.disable()
            self._file.close()
            self._file = None
            with suppress(OSError):
                self._place.unlink(missing_ok=True)


def taken_over(folder: Path) -> list[CrashReport]:
    """Of programs that are gone; the files of those that run stay."""
    found: list[CrashReport] = []
    for place in sorted(folder.glob(f"{PREFIX}*.txt")):
        if _is_running(place.stem.removeprefix(PREFIX)):
            continue
        with suppress(OSError):
            with place.open("rb") as file:
                said = file.read(MAX_BYTES).decode("utf-8", "replace")
            place.unlink()
            if said.strip() and len(found) < MOST_TAKEN:
                text = "\n".join([*described(), "the program ended at once:", "", said])
                summary = cleaned(said.strip().splitlines()[0])[:400]
                report = CrashReport(summary=summary, text=bounded(cleaned(text)))
                found.append(write_report(report, folder))
    return found


def _is_running(number: str) -> bool:
    """Whether a process of that number is there; one of ours or another's, it waits."""
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        return False
    if int(number) == os.getpid():
        return False  # its number came round again
    if os.name == "nt":
        return False  # there an open file cannot be taken away: its owner keeps it by itself
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
