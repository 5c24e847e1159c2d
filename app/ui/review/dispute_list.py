"""The list of disputes: each with its name, and on the right the marks of those who judged it."""

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

from app.ui.judging.verdict_text import verdict_colour, verdict_mark
from app.ui.review.dispute_summary import DisputeEntry
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.labels import MAX_NAME, cut

VERDICTS = Qt.ItemDataRole.UserRole
MARK_PX, EDGE_PX = 24, 8
MAX_MARKS = 4


class DisputeList(QListWidget):
    """A list of disputes. It never shows the agent's mark, which blind mode may hide."""

    def __init__(self, current_theme: CurrentTheme) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_MarksDelegate(current_theme, self))
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)
        self.who = ""
        """Names of the people whose marks are shown, if they are the same for all rows."""

    def show_disputes(self, found: Sequence[DisputeEntry]) -> None:
        self.clear()
        people = {tuple(given.reviewer for given in each.dispute.judgements) for each in found}
        self.who = ", ".join(people.pop()) if len(people) == 1 else ""
        for each in found:
            self.addItem(_item(each))


class _MarksDelegate(QStyledItemDelegate):
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
        for number, verdict in enumerate(verdicts):
            area = QRect(left + number * MARK_PX, whole.top(), MARK_PX, whole.height())
            painter.setPen(QColor(verdict_colour(self._current_theme.theme, verdict)))
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, verdict_mark(verdict) or "–")
        painter.restore()


def _item(entry: DisputeEntry) -> QListWidgetItem:
    given = entry.dispute.judgements
    item = QListWidgetItem(cut(entry.row.candidate.object_id, MAX_NAME) or f"#{entry.id}")
    item.setData(VERDICTS, tuple(each.opinion.verdict for each in given[:MAX_MARKS]))
    names = ", ".join(f"{each.reviewer} {verdict_mark(each.opinion.verdict)}" for each in given)
    item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, names)
    item.setToolTip(names)
    return item
