"""A table of the values of one source: click one and copy it, or filter the queue by it."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from app.ui.base.keys.text_focus import COPIES_SELECTION
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.data_texts import service_text
from app.ui.judge.evidence.value_texts import ValueRow
from app.ui.widgets.pair_table import PairModel, Role, fit_rows, show_as_pairs
from app.ui.widgets.text_width import OnEvent

NAME_SHARE = 0.46


class ValueModel(PairModel):
    def cell(self, row: ValueRow, is_name: bool, role: int) -> Any:
        if role == Role.DisplayRole:
            return row.name if is_name else row.text
        if role == Role.ToolTipRole:
            about = " · ".join(each for each in (row.key, row.ucd) if each)
            lines = service_text(row.description or row.name), row.text, about
            return "\n".join(each for each in lines if each)
        if role == Role.ForegroundRole:
            theme = self._current_theme.theme
            return QColor(theme.dim if is_name or not row.plain else theme.text)
        return None


class ValueTable(QTableView):
    copy_requested = Signal(object)  # a `ValueRow`
    menu_requested = Signal(object, QPoint)  # a `ValueRow` and the place on the screen

    def __init__(self, current_theme: CurrentTheme, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.values = ValueModel(current_theme, self)
        self.setModel(self.values)
        show_as_pairs(self, name)
        self.setProperty(COPIES_SELECTION, True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.customContextMenuRequested.connect(self._ask_for_menu)
        current_theme.changed.connect(self.viewport().update)
        OnEvent(self, self._fit, QEvent.Type.FontChange)
        self._fit()

    def show_rows(self, rows: Sequence[ValueRow]) -> None:
        if rows != self.values.rows:
            self.values.show_rows(rows)
            self.clearSelection()
            self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        chosen = self.selectionModel().selectedRows()
        if event.matches(QKeySequence.StandardKey.Copy) and chosen:
            self.copy_requested.emit(self.values.rows[chosen[0].row()])
            return
        super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the panel scrolls

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_names()

    def _fit_names(self) -> None:
        width = self.viewport().width()
        metrics = self.fontMetrics()
        names = [metrics.horizontalAdvance(row.name) for row in self.values.rows]
        wanted = max(names, default=0) + 14
        self.horizontalHeader().resizeSection(0, min(wanted, round(NAME_SHARE * width)))

    def _fit(self) -> None:
        self.setFixedHeight(fit_rows(self) * max(len(self.values.rows), 1) + 2)
        self._fit_names()

    def _ask_for_menu(self, at: QPoint) -> None:
        index = self.indexAt(at)
        if index.isValid():
            self.selectRow(index.row())
            self.menu_requested.emit(self.values.rows[index.row()], self.viewport().mapToGlobal(at))
