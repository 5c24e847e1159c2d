"""Verdicts as texts and buttons; each has a mark and a word: none depends on colour alone."""

from operator import attrgetter

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication
from PySide6.QtWidgets import QWidget

from app.core.session.records import Candidate, Verdict
from app.ui.base.theme.theme import CurrentTheme, Theme
from app.ui.widgets.labels import MAX_NAME, one_line
from app.ui.widgets.painted_button import PaintedButton

NAMES = {Verdict.ACCEPT: "accept", Verdict.REJECT: "reject", Verdict.UNSURE: "unsure"}
"""Names of their actions, of their colours in a theme, and of their roles in the style sheet."""
MARKS = {Verdict.ACCEPT: "✓", Verdict.REJECT: "✕", Verdict.UNSURE: "?"}
WORDS = {
    Verdict.ACCEPT: QT_TRANSLATE_NOOP("verdicts", "accepted"),
    Verdict.REJECT: QT_TRANSLATE_NOOP("verdicts", "rejected"),
    Verdict.UNSURE: QT_TRANSLATE_NOOP("verdicts", "unsure"),
    None: QT_TRANSLATE_NOOP("verdicts", "not judged"),
}
HEIGHT = 30  # of a button
CONFIDENCES = (
    QT_TRANSLATE_NOOP("verdicts", "none"),
    QT_TRANSLATE_NOOP("verdicts", "poor"),
    QT_TRANSLATE_NOOP("verdicts", "possible"),
    QT_TRANSLATE_NOOP("verdicts", "probable"),
    QT_TRANSLATE_NOOP("verdicts", "sure"),
)
"""Meanings of the confidences from 0 up."""


def verdict_mark(verdict: Verdict | None) -> str:
    return "" if verdict is None else MARKS[verdict]


def verdict_word(verdict: Verdict | None) -> str:
    return _translate(WORDS[verdict])


def mark_and_word(verdict: Verdict | None) -> str:
    return f"{verdict_mark(verdict)} {verdict_word(verdict)}".strip()


def confidence_meaning(confidence: int) -> str:
    return _translate(CONFIDENCES[confidence])


def verdict_colour(theme: Theme, verdict: Verdict | None) -> str:
    return theme.dim if verdict is None else str(getattr(theme, NAMES[verdict]))


def _translate(text: object) -> str:
    return QCoreApplication.translate("verdicts", str(text))


# What the members of a panel say that contradict each other.
def with_conflict(answer: str, candidate: Candidate) -> str:
    return f"{answer} ≠" if candidate.agent_members else answer


def conflict_text(members: str) -> str:
    text = QCoreApplication.translate("verdicts", "≠ Members disagree: {what}")
    if "no verdict" in members:
        text = QCoreApplication.translate("verdicts", "≠ A member gave no answer: {what}")
    return text.replace("{what}", one_line(members[:MAX_NAME]))


def verdict_buttons(current_theme: CurrentTheme, parent: QWidget) -> dict[Verdict, PaintedButton]:
    """One for each verdict, in the order in which they stand."""
    return {
        verdict: PaintedButton(
            current_theme,
            attrgetter(name),
            parent,
            mark=MARKS[verdict],
            height=HEIGHT,
            is_bold=True,
        )
        for verdict, name in NAMES.items()
    }
