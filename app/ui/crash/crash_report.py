"""Crash reports: text files without keys, environment variables or the home folder's name.

A limited number of them is kept in the log folder.
"""

from __future__ import annotations

import platform
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from importlib import metadata
from pathlib import Path
from types import TracebackType

from platformdirs import user_log_path
from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtGui import QDesktopServices

from app.ui.crash.cleaning import cleaned, truncated


def open_folder(folder: Path, show_path: Callable[[str], object]) -> None:
    """Open the folder in the file manager; if that fails, call `show_path` with a message."""
    with suppress(OSError):  # it may not exist yet
        folder.mkdir(parents=True, exist_ok=True)
    if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
        text = QCoreApplication.translate("crash", "The reports are in {folder}")
        show_path(text.replace("{folder}", str(folder)))


MAX_KEPT = 20
MAX_FRAMES = 60
MAX_CHAIN = 8
MAX_MESSAGE = 20_000
PREFIX = "crash-"
PACKAGES = ("PySide6-Essentials", "pyqtgraph", "numpy", "sqlalchemy", "astropy")


@dataclass(frozen=True, kw_only=True)
class CrashReport:
    """One report; `path` is None if it could not be written."""

    summary: str
    text: str
    path: Path | None = None


def log_folder() -> Path:
    return user_log_path("spec-o3-workbench", appauthor=False)


def make_report(
    kind: type[BaseException],
    error: BaseException | None,
    trace: TracebackType | None,
    *,
    where: str = "",
) -> CrashReport:
    """Make a report; `where` names the thread or object if it is not the current thread."""
    message = " ".join(_message(error)[:2000].split())
    name = kind.__name__[:200]
    lines = [
        *environment_lines(),
        f"thread: {where or threading.current_thread().name}",
        "",
        _described(kind, error, trace),
    ]
    return CrashReport(
        summary=cleaned(f"{name}: {message}" if message else name)[:400],
        text=truncated(cleaned("\n".join(lines))),
    )


def _described(
    kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
) -> str:
    """The exception and what led to it; unlike Python's own text it never grows large or fails."""
    found: list[str] = []
    how = ""
    for _ in range(MAX_CHAIN):
        frames = "".join(traceback.format_tb(trace, limit=-MAX_FRAMES))
        name = f"{kind.__module__}.{kind.__qualname__}"[:200].removeprefix("builtins.")
        found.append(
            f"Traceback (most recent call last):\n{frames}{name}: {_message(error)}\n{how}"
        )
        if error is None:
            break
        if error.__cause__ is not None:
            error, how = error.__cause__, "\nIt was the direct cause of:\n"
        elif error.__context__ is not None and not error.__suppress_context__:
            error, how = error.__context__, "\nWhile it was handled, there came:\n"
        else:
            break
        kind, trace = type(error), error.__traceback__
    return "\n".join(reversed(found))


def _message(error: BaseException | None) -> str:
    try:
        return "" if error is None else str(error)[:MAX_MESSAGE]
    except Exception as fault:
        return f"<its text cannot be made: {type(fault).__name__}>"


def write_report(report: CrashReport, folder: Path) -> CrashReport:
    """Write the report and delete the oldest ones; return it with its path."""
    path = folder / f"{PREFIX}{datetime.now():%Y%m%d-%H%M%S-%f}.txt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(report.text, encoding="utf-8", errors="replace")
        reports = sorted(folder.glob(f"{PREFIX}*.txt"))
        for old in reports[:-MAX_KEPT]:
            with suppress(OSError):
                old.unlink()
    except OSError:  # the dialog must appear even if the disk is full
        with suppress(OSError):
            path.unlink(missing_ok=True)
        return report
    return CrashReport(summary=report.summary, text=report.text, path=path)


def environment_lines() -> list[str]:
    """Describe the program, its packages and the system, without user or host name."""
    return [
        f"spec-o3-workbench {_version('spec-o3-workbench')}, {datetime.now():%Y-%m-%d %H:%M:%S}",
        f"Python {platform.python_version()} on {platform.system()} {platform.release()} "
        f"({platform.machine()}){', packaged' if getattr(sys, 'frozen', False) else ''}",
        ", ".join(f"{name} {_version(name)}" for name in PACKAGES),
    ]


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "unknown"
