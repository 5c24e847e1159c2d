"""A table of candidates, without a grid, with the current candidate's row marked."""

from typing import NamedTuple

from PySide6.QtCore import QEvent, QModelIndex, QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.ui.base.keys.text_focus import ROW_NAVIGATION
from app.ui.base.theme.theme import CurrentTheme, tones
from app.ui.widgets.labels import MAX_NAME
from app.ui.widgets.painted_button import translucent
from app.ui.widgets.pair_table import Index, make_plain

CELL = Qt.ItemDataRole.UserRole + 1
"""Role whose data is a `Cell`: everything to draw, in one call of the model."""
BAR_PX = 3
TINT_ALPHA = 38
PAD = 5
ROW_MARGIN_PX = 6
LINE_MARGIN_PX = 3
NO_ROW = -1


class CandidateTable(QTableView):
    """A click activates a row; with the focus, so does Enter on the row chosen with Up and Down."""

    row_activated = Signal(int)
    font_changed = Signal()  # the widths of the columns may have to follow
    focused = Signal()
    """The table got the focus; `set_focused_row` may now choose the row it starts at."""

    def __init__(self, current_theme: CurrentTheme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        make_plain(self)
        self.setProperty(ROW_NAVIGATION, True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._delegate = _CellDelegate(current_theme, self)
        self.setItemDelegate(self._delegate)
        columns = self.horizontalHeader()
        columns.setHighlightSections(False)
        columns.setSectionsClickable(False)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        columns.setMinimumSectionSize(24)
        self._lines = 1.0
        self.hovered_row = NO_ROW
        self._fit_font()
        self.setMouseTracking(True)
        self.entered.connect(self._hover)
        self.viewportEntered.connect(self._hover)
        self.clicked.connect(lambda index: self.row_activated.emit(index.row()))
        current_theme.changed.connect(self.viewport().update)

    @property
    def row_height(self) -> int:
        return self.fontMetrics().height() + ROW_MARGIN_PX

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # Qt also sends this while it builds the table.
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_delegate"):
            self._fit_font()
            self.font_changed.emit()

    def set_rows_high(self, lines: float) -> None:
        """Give rows the height of so many lines of text."""
        self._lines = lines
        self._fit_font()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.row_activated.emit(self.currentIndex().row())
        elif event.text() and event.text().isprintable():
            # QTableView would search by letters, but these are the keys that judge.
            event.ignore()
        else:
            super().keyPressEvent(event)

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Home and End go to the first and last row; in Qt's own tables they stay in the row."""
        ends = QAbstractItemView.CursorAction
        if action in (ends.MoveHome, ends.MoveEnd):
            last = self.model().rowCount() - 1
            return self.model().index(0 if action == ends.MoveHome else last, 0)
        return super().moveCursor(action, modifiers)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit()
        if not self.currentIndex().isValid():
            self.set_focused_row(0)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def currentChanged(self, current: Index, before: Index) -> None:
        super().currentChanged(current, before)
        if self.hasFocus():
            self.viewport().update()  # Qt repaints the cell; the frame is around the row

    @property
    def focused_row(self) -> int:
        """The row that Enter would activate; `NO_ROW` without the focus."""
        return self.currentIndex().row() if self.hasFocus() else NO_ROW

    def set_focused_row(self, row: int) -> None:
        self.setCurrentIndex(self.model().index(row, 0))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover()

    def _hover(self, index: QModelIndex | None = None) -> None:
        before, self.hovered_row = self.hovered_row, NO_ROW if index is None else index.row()
        for row in {before, self.hovered_row} - {NO_ROW}:
            top, height = self.rowViewportPosition(row), self.rowHeight(row)
            self.viewport().update(0, top, self.viewport().width(), height)

    def _fit_font(self) -> None:
        self._delegate.set_font(self.font())
        self.verticalHeader().setDefaultSectionSize(round(self._lines * self.row_height))
        self.horizontalHeader().setFixedHeight(self.row_height + 8)


class Cell(NamedTuple):
    text: str
    colour: str
    is_right: bool = False
    is_current: bool = False  # whether the row is that of the current candidate
    line: QPolygonF | None = None  # a curve in the unit square, upwards, drawn in place of the text


class _CellDelegate(QStyledItemDelegate):
    # Draws cells itself. QStyledItemDelegate takes three times as long, and going to the next
    # candidate waits for it.

    def __init__(self, current_theme: CurrentTheme, table: CandidateTable) -> None:
        super().__init__(table)
        self._current_theme, self._table = current_theme, table
        self.set_font(table.font())

    def set_font(self, font: QFont) -> None:
        self._bold = QFont(font)
        self._bold.setBold(True)
        self._bold_metrics = QFontMetrics(self._bold)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        cell = index.data(CELL)
        rect: QRect = option.rect
        accent = QColor(self._current_theme.theme.accent)
        is_hovered = index.row() == self._table.hovered_row
        if is_hovered and not option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(tones(self._current_theme.theme).hover))
        if cell.is_current:
            painter.fillRect(rect, translucent(self._current_theme.theme.accent, TINT_ALPHA))
        if cell.is_current and index.column() == 0:
            painter.fillRect(QRect(rect.left(), rect.top(), BAR_PX, rect.height()), accent)
        if index.row() == self._table.focused_row:
            for y in (rect.top(), rect.bottom()):
                painter.fillRect(QRect(rect.left(), y, rect.width(), 1), accent)
        if cell.line is not None:
            self._paint_line(painter, rect, cell.line)
            return
        is_bold = cell.is_current and index.column() == 0
        painter.setFont(self._bold if is_bold else option.font)
        painter.setPen(QColor(cell.colour))
        inside = rect.adjusted(PAD, 0, -PAD, 0)
        metrics = self._bold_metrics if is_bold else option.fontMetrics
        elide, name = Qt.TextElideMode.ElideMiddle, cell.text[:MAX_NAME]
        text = metrics.elidedText(name, elide, inside.width())
        side = Qt.AlignmentFlag.AlignRight if cell.is_right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(inside, side | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_line(self, painter: QPainter, rect: QRect, line: QPolygonF) -> None:
        painter.save()
        inside = rect.adjusted(PAD, LINE_MARGIN_PX, -PAD, -LINE_MARGIN_PX)
        painter.translate(inside.left(), inside.bottom())
        painter.scale(inside.width(), -inside.height())
        pen = QPen(QColor(self._current_theme.theme.flux), 1.0)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.drawPolyline(line)
        painter.restore()
