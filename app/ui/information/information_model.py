"""Table model of rows of names and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor, QFont

from app.ui.information.information import InformationRow
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.pair_table import Index, PairModel, Role


class InformationModel(PairModel):
    rows: Sequence[InformationRow]

    def __init__(self, current_theme: CurrentTheme, parent: QObject | None = None) -> None:
        super().__init__(current_theme, parent)
        self._bold = QFont()
        self._bold.setBold(True)

    def cell(self, row: InformationRow, is_name: bool, role: int) -> Any:
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
