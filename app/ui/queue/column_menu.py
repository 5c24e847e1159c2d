"""The menu of a table's titles: which columns are shown, and what they are called."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QLineEdit, QMenu

from app.ui.candidate.blind_mode import BlindMode
from app.ui.queue.column_store import ColumnStore
from app.ui.queue.columns import FIRST_OWN, MAX_NAME, OBJECT, OF_AGENT, SPECTRUM
from app.ui.queue.queue_model import QueueModel
from app.ui.queue.table_columns import TableColumns
from app.ui.widgets.candidate_table import CandidateTable
from app.ui.widgets.menu_actions import add_action, add_check

MIN_EDIT_PX = 90


class ColumnMenu(QObject):
    def __init__(
        self,
        table: CandidateTable,
        model: QueueModel,
        columns: TableColumns,
        store: ColumnStore,
        blind_mode: BlindMode,
    ) -> None:
        super().__init__(table)
        self._table, self._model, self._columns = table, model, columns
        self._store, self._blind_mode = store, blind_mode
        self.menu = QMenu(table)
        self._header = table.horizontalHeader()
        self._header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._header.customContextMenuRequested.connect(self._open_at_title)

    def open_below(self, at: QPoint) -> None:
        """Open the menu of all columns at a place on the screen."""
        self._fill(None)
        self.menu.popup(at)

    def rename(self, column: int) -> None:
        """Let the person type another name over a title; an empty one brings its own back."""
        _NameEdit(self._table, self._model, self._store, column)

    def _open_at_title(self, at: QPoint) -> None:
        column = self._header.logicalIndexAt(at)
        self._fill(column if column >= 0 else None)
        self.menu.popup(self._header.viewport().mapToGlobal(at))

    def _fill(self, column: int | None) -> None:
        self.menu.clear()
        if column is not None:
            text = self.tr("Rename {name}…").replace("{name}", self._model.title(column))
            add_action(self.menu, text, partial(self.rename, column))
            self.menu.addSeparator()
        for each in range(1, FIRST_OWN):
            self._add(each)
        if self._model.own:
            self.menu.addSeparator()
        for each in range(FIRST_OWN, self._model.columnCount()):
            self._add(each)
        self.menu.addSeparator()
        reset = partial(self._store.reset, self._columns.name)
        add_action(self.menu, self.tr("Reset the columns"), reset)

    def _add(self, column: int) -> None:
        title = self._model.title(column)
        if column == SPECTRUM and title == self._model.original_title(column):
            title = self.tr("small spectrum")
        on = self._columns.is_shown(column)
        show = partial(self._store.show, self._columns.name, self._model.key_of(column))
        action = add_check(self.menu, title, on, show)
        hidden = OF_AGENT | self._model.giving_class_away
        if column in hidden and self._blind_mode.is_on:
            action.setEnabled(False)
        if column == OBJECT:
            action.setEnabled(False)


class _NameEdit(QLineEdit):
    """A field over a title; Enter takes what was typed, and leaving it does not."""

    def __init__(
        self, table: CandidateTable, model: QueueModel, store: ColumnStore, column: int
    ) -> None:
        header = table.horizontalHeader()
        super().__init__(header.viewport())
        self._store, self._key = store, model.key_of(column)
        self.setMaxLength(MAX_NAME)
        self.setText(model.title(column))
        self.setPlaceholderText(model.original_title(column))
        self.setAccessibleName(self.tr("Name of the column"))
        width = max(header.sectionSize(column), MIN_EDIT_PX)
        left = min(header.sectionViewportPosition(column), header.width() - width)
        self.setGeometry(max(left, 0), 0, width, header.height())
        self.returnPressed.connect(self._take)
        self.editingFinished.connect(self.deleteLater)
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.selectAll()

    def _take(self) -> None:
        self._store.rename(self._key, self.text())
