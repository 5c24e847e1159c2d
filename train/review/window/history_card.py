"""Who did what with a draft and when, the latest first, as far as this person may know."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.ui.widgets.labels import MAX_REASON, cut, wrapped_label
from app.ui.widgets.page_parts import PageScrollArea
from train.review.review_rules import Case
from train.review.reviews import Review
from train.review.window.stage_words import event_text, scores_text


class HistoryCard(QFrame):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.title = wrapped_label(self.tr("What happened to it"), "title")
        self.text = wrapped_label("", "")
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.setSpacing(4)
        layout.addWidget(self.title)
        inner = QWidget(self)
        inside = QVBoxLayout(inner)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(self.text)
        inside.addStretch(1)
        layout.addWidget(PageScrollArea(inner), 1)

    def show_case(self, case: Case, by: str) -> None:
        lines = [_line(review) for review in reversed(case.visible_reviews(by))]
        hidden = len(case.reviews) - len(lines)
        if hidden:
            lines.insert(0, self.tr("The other audit is shown when the vote begins."))
        if case.void_reasons:
            lines += [cut(f"✗ {reason}", MAX_REASON) for reason in case.void_reasons]
        self.text.setText("\n".join(lines) or self.tr("Nothing yet: it waits for screening."))


def _line(review: Review) -> str:
    words = f"{moment(review.at)} {review.by} {event_text(review)}".strip()
    if scores := scores_text(review):
        words = f"{words} ({scores})"
    return cut(f"{words}: {review.note}" if review.note else words, MAX_REASON)


def moment(text: str) -> str:
    """A time of the log in the person's own zone; empty if it is none."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return ""
    # As astronomers write it, for a day and a month are not to be confused.
    return f"{at.astimezone():%Y-%m-%d %H:%M}"
