"""Crash reports: text files without keys, environment variables or the home folder's name.

A limited number of them is kept in the log folder.
"""

from __future__ import annotations

import platform
import re
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
from urllib.parse import quote

from platformdirs import user_log_path
from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtGui import QDesktopServices


def open_folder(folder: Path, show_path: Callable[[str], object]) -> None:
    """Open the folder in the file manager; if that fails, call `show_path` with a message."""
    with suppress(OSError):  # it may not exist yet
        folder.mkdir(parents=True, exist_ok=True)
    if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
        text = QCoreApplication.translate("crash", "The reports are in {folder}")
        show_path(text.replace("{folder}", str(folder)))


MAX_KEPT = 20
MAX_CHARACTERS = 60_000
PREFIX = "crash-"
PACKAGES = ("PySide6-Essentials", "pyqtgraph", "numpy", "sqlalchemy", "astropy")
REMOVED = "[left out]"
_SECRETS = (
    re.compile(r"(?i)\b(bearer|basic)\s+[^\s\"']+"),
    re.compile(r"\b(hf_|sk-|ghp_|github_pat_|AIza|xox[a-z]-)[\w-]{8,}"),
    re.compile(r"(?i)(?<=://)[^/\s@\"']+(?=@)"),
    re.compile(
        r"(?i)\b([\w-]*(?:token|secret|password|passwd|api[_-]?key|authorization)[\w-]*"
        r"[\"']?\s*[=:]\s*)(\"[^\"]*\"|'[^']*'|[^\s,;)\]}]+)"
    ),
    re.compile(r"(?i)([?&](?:key|sig|signature|access)=)[^&\s\"']+"),
)


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
    trace_text = "".join(traceback.format_exception(kind, error, trace, limit=-60))
    message = " ".join(str(error or "").split())
    summary = f"{kind.__name__}: {message}" if message else kind.__name__
    lines = [
        *environment_lines(),
        f"thread: {where or threading.current_thread().name}",
        "",
        trace_text,
    ]
    return CrashReport(summary=cleaned(summary)[:400], text=truncated(cleaned("\n".join(lines))))


def write_report(report: CrashReport, folder: Path) -> CrashReport:
    """Write the report and delete the oldest ones; return it with its path."""
    name = f"{PREFIX}{datetime.now():%Y%m%d-%H%M%S-%f}.txt"
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(report.text, encoding="utf-8", errors="replace")
        _delete_old(folder)
    except OSError:  # the dialog must appear even if the disk is full
        return report
    return CrashReport(summary=report.summary, text=report.text, path=path)


def cleaned(text: str) -> str:
    """Remove secrets and the name of the home folder."""
    for pattern in _SECRETS:
        text = pattern.sub(_redacted, text)
    for home in _spellings(str(Path.home())):
        text = text.replace(home, "~")
    return text


def _spellings(home: str) -> list[str]:
    """Return the home folder as plain text, as a Python string literal and as a URL."""
    if len(home) < 2:
        return []
    escaped = home.replace("\\", "\\\\")
    found = [escaped, home, home.replace("\\", "/"), quote(home.replace("\\", "/"))]
    return list(dict.fromkeys(found))


def _redacted(match: re.Match[str]) -> str:
    keeps_name = match.re.groups == 2 or "&" in match.re.pattern
    return f"{match.group(1)}{REMOVED}" if keeps_name else REMOVED


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


def truncated(text: str) -> str:
    """Shorten a long text, keeping more of its end, where a traceback says most."""
    if len(text) <= MAX_CHARACTERS:
        return text
    head = MAX_CHARACTERS // 4
    return f"{text[:head]}\n[...]\n{text[-(MAX_CHARACTERS - head) :]}"


def _delete_old(folder: Path) -> None:
    reports = sorted(folder.glob(f"{PREFIX}*.txt"))
    for old in reports[:-MAX_KEPT]:
        with suppress(OSError):
            old.unlink()
