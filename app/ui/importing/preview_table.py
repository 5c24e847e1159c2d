"""The first rows of a list, with the role of each column in the header."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from agent.checked_toml import printable
from app.core.importing.formats.contents import ListColumn, Value
from app.ui.importing.list_preview import ListPreview
from app.ui.importing.role_boxes import role_text
from app.ui.theme.theme import CurrentTheme, Theme
from app.ui.translation.message_texts import translate_message

MAX_CELL = 200
MAX_WIDTH = 260
MAX_FITTED = 60
"""Number of columns fitted to their contents; a list may have thousands."""
TINT_ALPHA = 16
PAD = 5  # the cell padding of the style
Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class PreviewModel(QAbstractTableModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._columns: tuple[ListColumn, ...] = ()
        self._rows: tuple[tuple[Value, ...], ...] = ()
        self._roles: Mapping[str, str] = {}
        """Role by column name."""

    def show_preview(self, preview: ListPreview) -> None:
        self.beginResetModel()
        self._columns, self._rows = preview.columns, preview.rows
        self._roles = {column: role for role, column in preview.roles.columns.items()}
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        column = self._columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            value = self._rows[index.row()][index.column()]
            if value is None:
                return ""
            if isinstance(value, float):
                return f"{value:.8g}"
            return printable(str(value), MAX_CELL)
        if role == Qt.ItemDataRole.TextAlignmentRole and column.kind in ("int", "float"):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def name_of(self, section: int) -> str:
        return self._columns[section].name

    def role_of(self, section: int) -> str:
        """The displayed role of a column, or ""."""
        role = self._roles.get(self._columns[section].name)
        return "" if role is None else role_text(role)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Vertical:
            return section + 1 if role == Qt.ItemDataRole.DisplayRole else None
        column = self._columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{column.name}\n{self.role_of(section)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            about = translate_message(column.description)  # ours, if it is a folder of spectra
            parts = [column.name, about, column.unit and f"[{column.unit}]"]
            return " ".join(part for part in parts if part)
        return None


class PreviewHeader(QHeaderView):
    def __init__(self, current_theme: CurrentTheme, model: PreviewModel, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._current_theme, self._model = current_theme, model
        self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        theme = self._current_theme.theme
        role = self._model.role_of(logicalIndex)
        name = self._model.name_of(logicalIndex)
        painter.save()
        painter.fillRect(rect, QColor(theme.panel))
        if role:
            painter.fillRect(rect, tint_of(theme))
        painter.setPen(QColor(theme.border))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        inner = rect.adjusted(PAD, 6, -4, -6)
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(theme.text if role else theme.dim))
        top = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        short = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, inner.width())
        painter.drawText(inner, top, short)
        painter.setFont(self.font())
        painter.setPen(QColor(theme.accent))
        painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, role)
        painter.restore()


class TintedCells(QStyledItemDelegate):
    def __init__(self, current_theme: CurrentTheme, model: PreviewModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._current_theme, self._model = current_theme, model

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if self._model.role_of(index.column()):
            painter.fillRect(option.rect, tint_of(self._current_theme.theme))
        super().paint(painter, option, index)


class PreviewTable(QTableView):
    def __init__(self, current_theme: CurrentTheme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.preview_model = PreviewModel(self)
        self.setModel(self.preview_model)
        self.setHorizontalHeader(PreviewHeader(current_theme, self.preview_model, self))
        self.setItemDelegate(TintedCells(current_theme, self.preview_model, self))
        self.setAccessibleName(self.tr("The first rows of the list"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # file names differ at the end
        self.setShowGrid(False)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    def show_preview(self, preview: ListPreview) -> None:
        self.preview_model.show_preview(preview)
        for number in range(min(len(preview.columns), MAX_FITTED)):
            self.resizeColumnToContents(number)
            self.setColumnWidth(number, min(self.columnWidth(number), MAX_WIDTH))


def tint_of(theme: Theme) -> QColor:
    tint = QColor(theme.accent)
    tint.setAlpha(TINT_ALPHA)
    return tint
