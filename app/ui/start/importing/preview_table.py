"""The first rows of a list, with the role of each column in the header."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import (
    QT_TRANSLATE_NOOP,
    QCoreApplication,
    QObject,
    QRect,
    QStringListModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from agent.checked_toml import printable
from app.core.importing.formats.contents import ListColumn
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.message_texts import translate_message
from app.ui.start.importing.import_work import ListPreview
from app.ui.widgets.flow_layout import FlowLayout
from app.ui.widgets.labels import column, short_label
from app.ui.widgets.painted_button import translucent
from app.ui.widgets.pair_table import Index, RowsModel, show_cells
from app.ui.widgets.text_width import TextWidth

MAX_CELL = 200
MAX_WIDTH = 260
MAX_FITTED = 60  # Number of columns fitted to their contents; a list may have thousands.
TINT_ALPHA = 16
PAD = 5  # the cell padding of the style

ROLE_TEXTS = {
    "path": QT_TRANSLATE_NOOP("roles", "Spectrum file"),
    "row": QT_TRANSLATE_NOOP("roles", "Row in the file"),
    "object_id": QT_TRANSLATE_NOOP("roles", "Object"),
    "ra": QT_TRANSLATE_NOOP("roles", "RA"),
    "dec": QT_TRANSLATE_NOOP("roles", "Dec"),
    "score": QT_TRANSLATE_NOOP("roles", "Score"),
    "label": QT_TRANSLATE_NOOP("roles", "Label"),
    "snr": QT_TRANSLATE_NOOP("roles", "S/N"),
}
"""Roles in display order; the same as app.core.importing.roles.ROLES."""


class PreviewModel(RowsModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._columns: tuple[ListColumn, ...] = ()
        self._roles: Mapping[str, str] = {}  # role by column name

    def show_preview(self, preview: ListPreview) -> None:
        self._columns = preview.columns
        self.titles = tuple(column.name for column in preview.columns)
        self._roles = {column: role for role, column in preview.roles.columns.items()}
        self.reset(preview.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        column = self._columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            value = self.rows[index.row()][index.column()]
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
            painter.fillRect(rect, translucent(theme.accent, TINT_ALPHA))
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
            tint = translucent(self._current_theme.theme.accent, TINT_ALPHA)
            painter.fillRect(option.rect, tint)
        super().paint(painter, option, index)


class PreviewTable(QTableView):
    def __init__(self, current_theme: CurrentTheme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.preview_model = PreviewModel(self)
        self.setModel(self.preview_model)
        self.setHorizontalHeader(PreviewHeader(current_theme, self.preview_model, self))
        self.setItemDelegate(TintedCells(current_theme, self.preview_model, self))
        show_cells(self, self.tr("The first rows of the list"))
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # file names differ at the end
        self.verticalHeader().show()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    def show_preview(self, preview: ListPreview) -> None:
        self.preview_model.show_preview(preview)
        for number in range(min(len(preview.columns), MAX_FITTED)):
            self.resizeColumnToContents(number)
            self.setColumnWidth(number, min(self.columnWidth(number), MAX_WIDTH))


# Combo boxes that assign columns of a list to roles.
def role_text(role: str) -> str:
    return QCoreApplication.translate("roles", str(ROLE_TEXTS[role]))


CELL_PX, WIDEST_PX = 170, 360  # Least width of a box: usually four of them are in a row.


class RoleBoxes(QWidget):
    """One box per role, listing all columns; the first entry means no column."""

    chosen = Signal(str, str)  # the user chose a column (or "") for a role

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        flow = FlowLayout(self, spacing=8, is_even=True)
        flow.setContentsMargins(0, 0, 0, 0)
        self._names = QStringListModel(self)
        self.boxes: dict[str, QComboBox] = {}
        for role in ROLE_TEXTS:
            part = QWidget(self)
            label = short_label(role_text(role), "dim")
            box = QComboBox(minimumContentsLength=8)
            box.setObjectName(role)
            box.setModel(self._names)
            box.setAccessibleName(role_text(role))
            sizes = QComboBox.SizeAdjustPolicy
            box.setSizeAdjustPolicy(sizes.AdjustToMinimumContentsLengthWithIcon)
            box.activated.connect(self._choose)
            label.setBuddy(box)
            column(label, box, spacing=2, parent=part)
            part.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            TextWidth(part, CELL_PX, WIDEST_PX, is_fixed=False)
            flow.addWidget(part)
            self.boxes[role] = box

    def show_preview(self, preview: ListPreview, chosen: Mapping[str, str]) -> None:
        """Show the detected roles, overridden by the choices of the user."""
        columns = {**preview.roles.columns, **chosen}
        reasons = {role: each.reason for role, each in preview.roles.by_role.items()}
        names = [column.name for column in preview.columns]
        if self._names.stringList()[1:] != names:
            self._names.setStringList([self.tr("none"), *names])
        for role, box in self.boxes.items():
            column = columns.get(role, "")
            box.setCurrentIndex(names.index(column) + 1 if column in names else 0)
            box.setToolTip(translate_message(reasons.get(role, "")))
            is_fixed = preview.format in ("folder", "spectrum")
            box.setEnabled(bool(names) and not is_fixed)

    def _choose(self, _: int) -> None:
        box = self.sender()
        if isinstance(box, QComboBox):
            self.chosen.emit(box.objectName(), box.currentText() if box.currentIndex() > 0 else "")
