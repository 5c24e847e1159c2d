"""The disputes one under the other: a name, and at the right the marks of those who judged it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.ui.judging.verdict_words import colour, mark
from app.ui.review.disputes_found import Disputed
from app.ui.theme.theme import CurrentTheme

VERDICTS = Qt.ItemDataRole.UserRole
MARK_PX, EDGE_PX = 24, 8
MOST_MARKS = 4
"""More people are beside the spectrum."""


class DisputeList(QListWidget):
    """The agent's mark is never among them: blind mode may hide it."""

    def __init__(self, current_theme: CurrentTheme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_Marked(current_theme, self))
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)
        self.who = ""
        """Whose the marks are, where all rows have those of the same people."""

    def show_disputes(self, found: Sequence[Disputed]) -> None:
        self.clear()
        people = {tuple(given.reviewer for given in each.dispute.judgements) for each in found}
        self.who = ", ".join(people.pop()) if len(people) == 1 else ""
        for each in found:
            self.addItem(_item(each))


class _Marked(QStyledItemDelegate):
    def __init__(self, current_theme: CurrentTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self._current_theme = current_theme

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        verdicts = index.data(VERDICTS)
        width = MARK_PX * len(verdicts)
        whole = QRect(option.rect)
        super().paint(painter, option, index)
        painter.save()
        left = whole.right() - EDGE_PX - width
        for place, verdict in enumerate(verdicts):
            where = QRect(left + place * MARK_PX, whole.top(), MARK_PX, whole.height())
            painter.setPen(QColor(colour(self._current_theme.theme, verdict)))
            painter.drawText(where, Qt.AlignmentFlag.AlignCenter, mark(verdict) or "–")
        painter.restore()


def _item(found: Disputed) -> QListWidgetItem:
    given = found.dispute.judgements
    item = QListWidgetItem(found.line.candidate.object_id or f"#{found.id}")
    item.setData(VERDICTS, tuple(each.opinion.verdict for each in given[:MOST_MARKS]))
    names = ", ".join(f"{each.reviewer} {mark(each.opinion.verdict)}" for each in given)
    item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, names)
    item.setToolTip(names)
    return item
