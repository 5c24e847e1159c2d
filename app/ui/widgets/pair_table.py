"""A table of names and values that looks like two columns of text on a card."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.ui.base.theme.theme import CurrentTheme

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
Role = Qt.ItemDataRole
ROW_MARGIN_PX = 3


class RowsModel(QAbstractTableModel):
    """Rows in memory, with a title for each column; a subclass says what a cell shows."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.titles: tuple[str, ...] = ()
        self.rows: Sequence[Any] = ()

    def reset(self, rows: Sequence[Any]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.titles)

    def headerData(self, section: int, side: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        is_title = side == Qt.Orientation.Horizontal and role == Role.DisplayRole
        return self.titles[section] if is_title else None


class PairModel(RowsModel):
    """Rows of a name and a value each; a subclass says what a cell of a row shows."""

    def __init__(self, current_theme: CurrentTheme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self.titles = "", ""

    def show_rows(self, rows: Sequence[Any]) -> None:
        """Show rows; the model is reset only if their number changes, which is rare."""
        if len(rows) != len(self.rows):
            self.reset(rows)
            return
        self.rows = rows
        if rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, 1))

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        return self.cell(self.rows[index.row()], index.column() == 0, role)

    def cell(self, row: Any, is_name: bool, role: int) -> Any:
        raise NotImplementedError


def show_as_pairs(view: QTableView, name: str) -> None:
    """Without frame, grid and headers; whole rows are selected, and the value takes the rest.

    `name` is read out by a screen reader. The caller sets the width of the names.
    """
    view.setAccessibleName(name)
    make_plain(view)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.horizontalHeader().hide()
    view.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
    view.horizontalHeader().setStretchLastSection(True)
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)


def make_plain(view: QTableView) -> None:
    """Without frame, grid and row numbers; rows may be low, and long texts lose their middle."""
    view.setFrameShape(QTableView.Shape.NoFrame)
    view.setProperty("role", "plain")
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    view.verticalHeader().hide()
    view.verticalHeader().setMinimumSectionSize(8)
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)


def show_rows(view: QTableView, name: str) -> None:
    """Whole rows to read and to click, without grid and row numbers."""
    show_cells(view, name)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setWordWrap(False)


def show_cells(view: QTableView, name: str) -> None:
    """Cells to read only, without grid and row numbers; a screen reader reads out `name`."""
    view.setAccessibleName(name)
    view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    view.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setShowGrid(False)
    view.verticalHeader().hide()
    header = view.horizontalHeader()
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setHighlightSections(False)


def fit_rows(view: QTableView, margin_px: int = ROW_MARGIN_PX) -> int:
    """Make rows as high as the text; returns their height in pixels."""
    height = view.fontMetrics().height() + margin_px
    view.verticalHeader().setDefaultSectionSize(height)
    return height
