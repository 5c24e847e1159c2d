"""What queue panel and overview have in common: rows, columns, order and menus of a table."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QWidget

from app.core.queue import EVERYTHING
from app.ui.queue.column_menu import ColumnMenu
from app.ui.queue.column_store import ColumnStore
from app.ui.queue.filter_and_order import FilterAndOrder
from app.ui.queue.filter_bar import FilterBar
from app.ui.queue.header_sort import HeaderSort
from app.ui.queue.queue_loader import QueueLoader
from app.ui.queue.queue_model import QueueModel
from app.ui.queue.row_menu import RowMenu
from app.ui.queue.sparklines import Sparklines
from app.ui.queue.table_columns import LINES_HIGH, TableColumns
from app.ui.session_context import SessionContext
from app.ui.widgets.candidate_table import CandidateTable


class TableParts(QObject):
    """`name` is that of the table in the session, under which its columns are kept."""

    def __init__(
        self,
        context: SessionContext,
        table: CandidateTable,
        filters: FilterBar,
        store: ColumnStore,
        name: str,
        lines_high: float = LINES_HIGH,
        *,
        is_wide: bool = False,
    ) -> None:
        super().__init__(table)
        session, runner, current = context.bridge.session, context.runner, context.current
        self._current = current
        self.model = QueueModel(context.current_theme, self)
        self.loader = QueueLoader(session, runner, self.model, self)
        self.sparklines = Sparklines(session, runner, self)
        self.model.sparklines = self.sparklines
        table.setModel(self.model)
        self.columns = TableColumns(
            table, self.model, store, current, name, lines_high, is_wide=is_wide
        )
        self.column_menu = ColumnMenu(table, self.model, self.columns, store, current.blind_mode)
        self.row_menu = RowMenu(context, table, self.model)
        self.header_sort = HeaderSort(table, self.model)
        self.filter_and_order = FilterAndOrder(filters, self.header_sort, store, current)
        table.verticalScrollBar().valueChanged.connect(self.sparklines.forget_waiting)
        self.columns.values_shown.connect(self.loader.read_values)
        self.loader.read_values(self.columns.shows_values)
        self.sparklines.arrived.connect(self.model.redraw_ids)
        self.model.used_changed.connect(self.columns.show)
        current.blind_mode.changed.connect(self.columns.show)
        context.current_theme.changed.connect(self.model.redraw)

    def open_columns_below(self, button: QWidget) -> None:
        self.column_menu.open_below(button.mapToGlobal(QPoint(0, button.height() + 2)))

    def why_empty(self) -> str:
        """What stands in the place of an empty table."""
        if self._current.repeat_round.is_on:
            return self.tr("Hidden during the repeat round")
        if self._current.queue.tree == EVERYTHING:
            return self.tr("No candidates yet: open a list (Ctrl+N)")
        return self.tr("No candidate matches the filter: clear it to see all")
