"""Verdicts as they are shown: a mark and a word each, so that colour only helps."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.core.session.records import Verdict
from app.ui.theme.theme import Theme

MARKS = {Verdict.ACCEPT: "✓", Verdict.REJECT: "✕", Verdict.UNSURE: "?"}
WORDS = {
    Verdict.ACCEPT: QT_TRANSLATE_NOOP("verdicts", "accepted"),
    Verdict.REJECT: QT_TRANSLATE_NOOP("verdicts", "rejected"),
    Verdict.UNSURE: QT_TRANSLATE_NOOP("verdicts", "unsure"),
}
NOT_JUDGED = QT_TRANSLATE_NOOP("verdicts", "not judged")
CONFIDENCES = (
    QT_TRANSLATE_NOOP("verdicts", "none"),
    QT_TRANSLATE_NOOP("verdicts", "poor"),
    QT_TRANSLATE_NOOP("verdicts", "possible"),
    QT_TRANSLATE_NOOP("verdicts", "probable"),
    QT_TRANSLATE_NOOP("verdicts", "sure"),
)
"""What each confidence means, from 0."""


def mark(verdict: Verdict | None) -> str:
    return "" if verdict is None else MARKS[verdict]


def word(verdict: Verdict | None) -> str:
    """In the language of the window."""
    return _said(NOT_JUDGED if verdict is None else WORDS[verdict])


def mark_and_word(verdict: Verdict | None) -> str:
    return f"{mark(verdict)} {word(verdict)}".strip()


def meaning(confidence: int) -> str:
    return _said(CONFIDENCES[confidence])


def colour(theme: Theme, verdict: Verdict | None) -> str:
    match verdict:
        case Verdict.ACCEPT:
            return theme.accept
        case Verdict.REJECT:
            return theme.reject
        case Verdict.UNSURE:
            return theme.unsure
        case None:
            return theme.dim


def _said(text: object) -> str:
    return QCoreApplication.translate("verdicts", str(text))
