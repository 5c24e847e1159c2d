"""What was just written down, in a few words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.core.records import LogEntry, Opinion
from app.ui.judging.verdict_words import word

translate = QCoreApplication.translate


def saved_words(entry: LogEntry, before: Opinion, name: str) -> str:
    """`before`: what held until then; `name`: of the object."""
    said = _what(entry, before)
    if name:
        said = f"{said} · {name}"
    is_verdict = entry.action == "set" and entry.opinion.verdict not in (None, before.verdict)
    if is_verdict and entry.seconds is not None:
        spent = translate("saved", "{seconds} s").replace("{seconds}", _short(entry.seconds))
        said = f"{said} · {spent}"
    return said


def _what(entry: LogEntry, before: Opinion) -> str:
    now = entry.opinion
    if entry.action == "undo":
        return translate("saved", "Undone: {what}").replace("{what}", word(now.verdict))
    if entry.action == "redo":
        return translate("saved", "Done again: {what}").replace("{what}", word(now.verdict))
    if now.verdict != before.verdict and now.verdict is not None:
        return translate("saved", "{verdict} saved").replace("{verdict}", str(now.verdict))
    if now.comment != before.comment:
        return translate("saved", "Comment saved")
    if now.flags != before.flags:
        return translate("saved", "Flags saved")
    if now.confidence != before.confidence:
        return translate("saved", "Confidence saved")
    return translate("saved", "{verdict} saved").replace("{verdict}", str(now.verdict or ""))


def _short(seconds: float) -> str:
    return f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}"
