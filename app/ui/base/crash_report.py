"""Crash reports: text files without keys, environment variables or the home folder's name.

A limited number of them is kept in the log folder.
"""

import json
import os
import platform
import re
import sys
import threading
import traceback
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from platformdirs import user_log_path
from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtGui import QDesktopServices

REMOVED = "[left out]"
MAX_CHARACTERS = 60_000
MAX_CLEANED = 4 * MAX_CHARACTERS
"""So much is searched. What is cut here is cut again, shorter, where the text is used: so a key
whose name was cut away is never at the edge of what remains."""
SHORTEST_SECRET = 8
_NAMES = (
    r"(?:token|secret|passwo?r?d|passphrase|pwd|api[_-]?key|access[_-]?key|private[_-]?key"
    r"|credential)"
)
_is_secret_name = re.compile(rf"(?i){_NAMES}").search
_COLOURS = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# Every repetition has a limit, so that no text takes long.
_SECRETS = (
    re.compile(r"()-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!----)){0,9000}"),
    re.compile(r"(?<=://)\S{0,400}(?=@)()"),
    re.compile(r"(?i)(cookie\\*[\"']?\s{0,8}[=:]).{1,2000}"),
    re.compile(
        r"(?i)(authorization\\*[\"']?\s{0,8}(?:[=:,]|%3[ad])\s{0,8})"
        r"b?\W{0,4}(?:digest\s.{1,2000}|(?:[a-z]{1,20}\s{1,4})?\S{1,2000})"
    ),
    re.compile(
        rf"(?i)({_NAMES}[\w.-]{{0,40}}\\*[\"']?\s{{0,8}}(?:=>|[=:]|%3[ad]|(?<=[\"']),)\s{{0,8}})"
        r"(?:b?\\*\"(?:[^\"\\\n]|\\.){0,2000}\"?|b?\\*'(?:[^'\\\n]|\\.){0,2000}'?|\S{1,2000})"
    ),
    re.compile(r"(?i)\b((?:bearer|basic)\s{1,8})[^\s\"']{1,5000}"),
    re.compile(
        r"()\b(?:hf_|sk-|gh[pousr]_|github_pat_|glpat-|AIza|AKIA|xox[a-z]-|ya29\.|eyJ)[\w.-]{8,2000}"
    ),
    re.compile(r"(?i)([?&](?:key|sig|signature|access|auth)=)[^&\s\"']{1,2000}"),
)


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
    thread = f"thread: {where or threading.current_thread().name}"
    lines = [*environment_lines(), thread, "", _described(kind, error, trace)]
    summary = cleaned(f"{name}: {message}" if message else name)[:400]
    return CrashReport(summary=summary, text=truncated(cleaned("\n".join(lines))))


def _described(
    kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
) -> str:
    """The exception and what led to it; unlike Python's own text it never grows large or fails."""
    found: list[str] = []
    how = ""
    for _ in range(MAX_CHAIN):
        frames = "".join(traceback.format_tb(trace, limit=-MAX_FRAMES))
        name = f"{kind.__module__}.{kind.__qualname__}"[:200].removeprefix("builtins.")
        head = "Traceback (most recent call last):"
        found.append(f"{head}\n{frames}{name}: {_message(error)}\n{how}")
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
    return replace(report, path=path)


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


# Takes passwords, keys and the name of the home folder out of a text of any size and kind.
def cleaned(text: str) -> str:
    """The text, cut where it is very long, without secrets and the name of the home folder."""
    text = _CONTROLS.sub(" ", _COLOURS.sub("", truncated(text, MAX_CLEANED)))
    for secret in _secrets_of_environment():
        text = text.replace(secret, REMOVED)
    for pattern in _SECRETS:
        text = pattern.sub(rf"\g<1>{REMOVED}", text)
    with suppress(RuntimeError):  # there is no home folder
        text = _spellings(str(Path.home())).sub("~", text)
    return text.encode(errors="backslashreplace").decode()  # no lone surrogates, as in file names


def truncated(text: str, most: int = MAX_CHARACTERS) -> str:
    """Shorten a long text, keeping more of its end, where a traceback says most."""
    if len(text) <= most:
        return text
    head = most // 4
    return f"{text[:head]}\n[...]\n{text[-(most - head) :]}"


def _secrets_of_environment() -> list[str]:
    names = (name for name in os.environ if _is_secret_name(name) and "PWD" not in name)
    values = (os.environ[name] for name in names)
    return sorted((each for each in values if len(each) >= SHORTEST_SECRET), key=len, reverse=True)


@lru_cache(maxsize=4)
def _spellings(home: str) -> re.Pattern[str]:
    """The home folder as plain text, in literals of Python and JSON, as bytes and in URLs."""
    found = set()
    for folder in (home, os.path.realpath(home)):
        for form in ("NFC", "NFD"):
            plain = unicodedata.normalize(form, folder)
            found |= {plain, plain.replace("\\", "/")}
    for _ in range(2):  # a literal may be quoted in another one
        found |= {written for each in found for written in _literals(each)}
    long_first = sorted((each for each in found if len(each) > 1), key=len, reverse=True)
    return re.compile("(?i)" + ("|".join(map(re.escape, long_first)) or r"(?!)"))


def _literals(text: str) -> set[str]:
    raw = text.encode("utf-8", "surrogateescape")
    inside = {repr(text)[1:-1], ascii(text)[1:-1], json.dumps(text)[1:-1], repr(raw)[2:-1]}
    return {*inside, quote(raw), quote(raw, safe="")}
