"""Reports of crashes in native code, such as segmentation faults.

Python's faulthandler writes a traceback to a file, from which the next start makes a crash report.
"""

from __future__ import annotations

import faulthandler
import os
from contextlib import suppress
from pathlib import Path
from typing import IO

from app.ui.crash.cleaning import cleaned, truncated
from app.ui.crash.crash_report import CrashReport, environment_lines, write_report

PREFIX = "native-"
MAX_BYTES = 60_000
MAX_REPORTS = 5
"""Reports made per start; further files are deleted."""


class NativeWatch:
    """Watches from `begin` to `end`; each process has its own file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / f"{PREFIX}{os.getpid()}.txt"
        self._file: IO[bytes] | None = None

    def begin(self) -> list[CrashReport]:
        """Start watching; return reports of earlier crashes."""
        reports = collect_reports(self._folder)
        with suppress(OSError):  # without a writable folder there is no watching
            self._folder.mkdir(parents=True, exist_ok=True)
            if not faulthandler.is_enabled():  # the user may have enabled it already
                self._file = self._path.open("wb")
                faulthandler.enable(self._file)
        return reports

    def end(self) -> None:
        if self._file is not None:
            faulthandler.disable()
            self._file.close()
            self._file = None
            with suppress(OSError):
                self._path.unlink(missing_ok=True)


def collect_reports(folder: Path) -> list[CrashReport]:
    """Turn the files of processes that no longer run into reports."""
    reports: list[CrashReport] = []
    for path in sorted(folder.glob(f"{PREFIX}*.txt")):
        if not path.is_file() or _is_running(path.stem.removeprefix(PREFIX)):
            continue
        with suppress(OSError):
            with path.open("rb") as file:
                trace = file.read(MAX_BYTES).decode("utf-8", "replace")
            path.unlink()
            if trace.strip() and len(reports) < MAX_REPORTS:
                text = "\n".join([*environment_lines(), "the program crashed:", "", trace])
                summary = cleaned(trace.strip().splitlines()[0])[:400]
                report = CrashReport(summary=summary, text=truncated(cleaned(text)))
                reports.append(write_report(report, folder))
    return reports


def _is_running(number: str) -> bool:
    """Whether a process with this id exists, of this program or another."""
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        return False
    if int(number) == os.getpid():
        return False  # the process id was reused
    if os.name == "nt":
        return False  # Windows does not delete open files, so a running owner keeps its file
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
