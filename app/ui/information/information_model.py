"""Table model of rows of names and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont

from app.ui.information.information import InformationRow
from app.ui.theme.theme import CurrentTheme

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
Role = Qt.ItemDataRole


class InformationModel(QAbstractTableModel):
    def __init__(self, current_theme: CurrentTheme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self.rows: Sequence[InformationRow] = ()
        self._bold = QFont()
        self._bold.setBold(True)

    def show_rows(self, rows: Sequence[InformationRow]) -> None:
        """Show rows; the model is reset only if their number changes, which is rare."""
        if len(rows) == len(self.rows):
            self.rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, 1))
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else 2

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row, is_name = self.rows[index.row()], index.column() == 0
        if role == Role.DisplayRole:
            return row.name if is_name else self._value(row)
        if role == Role.ToolTipRole:
            return None if row.is_heading else f"{row.name}\n{self._value(row)}"
        if role == Role.ForegroundRole:
            theme = self._current_theme.theme
            is_dim = is_name or row.is_hidden
            return QColor(theme.dim if is_dim else theme.text)
        if role == Role.FontRole and row.is_heading:
            return self._bold
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or self.rows[index.row()].is_heading:
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def text_of(self, rows: Sequence[int]) -> str:
        """Names and values to copy, separated by tabs."""
        chosen = (self.rows[row] for row in sorted(rows) if 0 <= row < len(self.rows))
        return "\n".join(f"{row.name}\t{self._value(row)}" for row in chosen if not row.is_heading)

    def value_of(self, row: int) -> str:
        return self._value(self.rows[row])

    def _value(self, row: InformationRow) -> str:
        return self.tr("hidden: blind mode") if row.is_hidden else row.value
