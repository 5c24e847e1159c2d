"""How tables of candidates look: rows drawn without a grid, the one on the desk marked."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.ui.theme import Looks

IS_CURRENT = Qt.ItemDataRole.UserRole + 1
"""Whether the row is that of the object on the desk."""
BAR = 3
TINT = 38
HIGHER_PX = 6


class LineTable(QTableView):
    """A click, or Enter where it has the focus, wants to go there. Letters pass through."""

    wanted = Signal(int)
    """A row."""

    def __init__(self, looks: Looks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._looks = looks
        self.setItemDelegate(_LineDelegate(looks, self))
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setProperty("role", "plain")
        # Narrow: what the columns say is short, and there are many of them.
        self.setStyleSheet("QTableView::item { padding: 0px 2px; }")
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
        looks.changed.connect(self._restyle)

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

    def _want(self, index: QModelIndex) -> None:
        self.wanted.emit(index.row())

    def _restyle(self) -> None:
        self.viewport().update()


class _LineDelegate(QStyledItemDelegate):
    def __init__(self, looks: Looks, parent: QWidget) -> None:
        super().__init__(parent)
        self._looks = looks

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        if index.data(IS_CURRENT):
            accent = QColor(self._looks.theme.accent)
            tint = QColor(accent)
            tint.setAlpha(TINT)
            rect: QRect = option.rect
            painter.fillRect(rect, tint)
            if index.column() == 0:
                painter.fillRect(QRect(rect.left(), rect.top(), BAR, rect.height()), accent)
        option.state &= ~QStyle.StateFlag.State_HasFocus
        super().paint(painter, option, index)
