"""What went wrong inside the program, as a text to send: no keys, no environment, no home folder.

A bounded number of reports is kept in the folder for logs.
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


def open_folder(folder: Path, say: Callable[[str], object]) -> None:
    """Where nothing can show it, `say` gets its path."""
    with suppress(OSError):  # a folder that was never needed is not there yet
        folder.mkdir(parents=True, exist_ok=True)
    if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
        told = QCoreApplication.translate("crash", "The reports are in {folder}")
        say(told.replace("{folder}", str(folder)))


MAX_KEPT = 20
MAX_CHARACTERS = 60_000
PREFIX = "crash-"
PACKAGES = ("PySide6-Essentials", "pyqtgraph", "numpy", "sqlalchemy", "astropy")
GONE = "[left out]"
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
    """`path` is None where it could not be written."""

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
    """`where`: what was at work, where that is not the window itself."""
    shown = "".join(traceback.format_exception(kind, error, trace, limit=-60))
    told = " ".join(str(error or "").split())
    summary = f"{kind.__name__}: {told}" if told else kind.__name__
    lines = [
        *described(),
        f"thread: {where or threading.current_thread().name}",
        "",
        shown,
    ]
    return CrashReport(summary=cleaned(summary)[:400], text=bounded(cleaned("\n".join(lines))))


def write_report(report: CrashReport, folder: Path) -> CrashReport:
    """With the path where it lies now; the oldest go where there are too many."""
    name = f"{PREFIX}{datetime.now():%Y%m%d-%H%M%S-%f}.txt"
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(report.text, encoding="utf-8", errors="replace")
        _tidy(folder)
    except OSError:  # a full disk must not keep the dialog from saying what happened
        return report
    return CrashReport(summary=report.summary, text=report.text, path=path)


def cleaned(text: str) -> str:
    """Without what might open a door, and without the name of the home folder."""
    for pattern in _SECRETS:
        text = pattern.sub(_hidden, text)
    for home in _spellings(str(Path.home())):
        text = text.replace(home, "~")
    return text


def _spellings(home: str) -> list[str]:
    """Of the home folder, as texts hold it: as it is, as Python writes a text, as a URL."""
    if len(home) < 2:
        return []
    escaped = home.replace("\\", "\\\\")
    found = [escaped, home, home.replace("\\", "/"), quote(home.replace("\\", "/"))]
    return list(dict.fromkeys(found))


def _hidden(match: re.Match[str]) -> str:
    return f"{match.group(1)}{GONE}" if match.re.groups == 2 or "&" in match.re.pattern else GONE


def described() -> list[str]:
    """The program and what it runs on; nobody's name."""
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


def bounded(text: str) -> str:
    """The end of a traceback tells most."""
    if len(text) <= MAX_CHARACTERS:
        return text
    head = MAX_CHARACTERS // 4
    return f"{text[:head]}\n[...]\n{text[-(MAX_CHARACTERS - head) :]}"


def _tidy(folder: Path) -> None:
    reports = sorted(folder.glob(f"{PREFIX}*.txt"))
    for old in reports[:-MAX_KEPT]:
        with suppress(OSError):
            old.unlink()
