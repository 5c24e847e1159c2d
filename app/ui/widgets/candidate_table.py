"""How tables of candidates look: rows drawn without a grid, the one on the desk marked."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.ui.keys.text_focus import ROWS
from app.ui.theme.theme import CurrentTheme

CELL = Qt.ItemDataRole.UserRole + 1
"""A `Cell`: all that is drawn of one, in a single question."""
Index = QModelIndex | QPersistentModelIndex
BAR = 3
TINT = 38
PAD = 5
HIGHER_PX = 6


class CandidateTable(QTableView):
    """A click wants to go there; so does Enter on the row that Up and Down have come to, where it
    has the focus. Letters pass through."""

    wanted = Signal(int)
    """A row."""
    entered = Signal()
    """It has got the focus: whoever knows may say on which row."""

    def __init__(self, current_theme: CurrentTheme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setProperty("role", "plain")
        self.setProperty(ROWS, True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        font = self.font()
        font.setPointSizeF(font.pointSizeF() - 1.0)
        self.setFont(font)
        self.setItemDelegate(_LineDelegate(current_theme, font, self))
        rows = self.verticalHeader()
        rows.hide()
        rows.setMinimumSectionSize(8)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self.row_height)
        columns = self.horizontalHeader()
        columns.setFixedHeight(self.row_height + 8)
        columns.setHighlightSections(False)
        columns.setSectionsClickable(False)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        columns.setMinimumSectionSize(24)
        self.clicked.connect(self._want)
        current_theme.changed.connect(self._restyle)

    @property
    def row_height(self) -> int:
        return self.fontMetrics().height() + HIGHER_PX

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.wanted.emit(self.currentIndex().row())
        elif event.text() and event.text().isprintable():
            event.ignore()  # no search by letters: they judge
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.entered.emit()
        if not self.currentIndex().isValid():
            self.stand_on(0)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def currentChanged(self, current: Index, before: Index) -> None:
        super().currentChanged(current, before)
        if self.hasFocus():
            self.viewport().update()  # a row is more than its cell

    @property
    def entered_row(self) -> int:
        """The one that Enter would go to; -1: it has not the focus."""
        return self.currentIndex().row() if self.hasFocus() else -1

    def stand_on(self, row: int) -> None:
        """Enter would go to that row."""
        self.setCurrentIndex(self.model().index(row, 0))

    def _want(self, index: QModelIndex) -> None:
        self.wanted.emit(index.row())

    def _restyle(self) -> None:
        self.viewport().update()


class Cell(NamedTuple):
    text: str
    colour: str
    is_right: bool = False
    is_current: bool = False
    """Whether the row is that of the object on the desk."""


class _LineDelegate(QStyledItemDelegate):
    """Draws a cell by itself: a styled one costs three times as much, and a key waits for it."""

    def __init__(self, current_theme: CurrentTheme, font: QFont, table: CandidateTable) -> None:
        super().__init__(table)
        self._current_theme, self._table = current_theme, table
        self._bold = QFont(font)
        self._bold.setBold(True)
        self._bold_metrics = QFontMetrics(self._bold)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> None:
        cell = index.data(CELL)
        rect: QRect = option.rect
        accent = QColor(self._current_theme.theme.accent)
        if cell.is_current:
            tint = QColor(accent)
            tint.setAlpha(TINT)
            painter.fillRect(rect, tint)
            if index.column() == 0:
                painter.fillRect(QRect(rect.left(), rect.top(), BAR, rect.height()), accent)
        if index.row() == self._table.entered_row:
            for line in (rect.top(), rect.bottom()):
                painter.fillRect(QRect(rect.left(), line, rect.width(), 1), accent)
        is_bold = cell.is_current and index.column() == 0
        painter.setFont(self._bold if is_bold else option.font)
        painter.setPen(QColor(cell.colour))
        inside = rect.adjusted(PAD, 0, -PAD, 0)
        metrics = self._bold_metrics if is_bold else option.fontMetrics
        text = metrics.elidedText(cell.text, Qt.TextElideMode.ElideMiddle, inside.width())
        side = Qt.AlignmentFlag.AlignRight if cell.is_right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(inside, side | Qt.AlignmentFlag.AlignVCenter, text)
