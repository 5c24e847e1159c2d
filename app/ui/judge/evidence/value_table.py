"""A table of the values of one source: click one and copy it, or filter the queue by it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from app.services.catalogues.answer import Match, Value
from app.services.catalogues.service import Service
from app.services.photometry.bands import is_limit
from app.ui.base.keys.text_focus import COPIES_SELECTION
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.data_texts import service_text
from app.ui.widgets.pair_table import PairModel, Role, fit_rows, show_as_pairs
from app.ui.widgets.text_width import OnEvent

NAME_SHARE = 0.46
NONE = "–"
MAX_TEXT = 200
SIGNIFICANT = 6


@dataclass(frozen=True, kw_only=True)
class ValueRow:
    name: str  # ours, as in filters
    text: str  # with error and unit
    description: str = ""  # English
    plain: str = ""  # to copy: the value alone; empty where the catalogue has none
    ucd: str = ""
    key: str = ""  # as in filters, such as `gaia.bp_rp`; empty where it cannot be filtered by
    is_text: bool = False


def value_rows(service: Service, match: Match) -> list[ValueRow]:
    rows = []
    for column in service.columns:
        value = match.values.get(column.name)
        text = value_text(value, match.values.get(f"{column.name}_error"), column.unit)
        if value is not None and is_limit(service.id, column.name, match.values):
            text = f"{match.values.get(f'{column.name}_limit') or '>'} {text}"
        if value is not None and (band := match.values.get(f"{column.name}_band")):
            text = f"{text} ({value_text(band)})"
        rows.append(
            ValueRow(
                name=column.name,
                description=column.description,
                text=text,
                plain=plain_text(value),
                ucd=column.ucd,
                key=f"{service.id}.{column.name}",
                is_text=column.is_text,
            )
        )
    return rows


def value_text(value: Value, error: Value = None, unit: str = "") -> str:
    """A value with its error, to the digits that the error leaves, and its unit."""
    if value is None:
        return NONE
    if isinstance(value, str):
        return " ".join(value.split())[:MAX_TEXT] or NONE
    if isinstance(value, int):
        shown = str(value)
    else:
        shown = f"{value:.{SIGNIFICANT}g}" if math.isfinite(value) else NONE
    if isinstance(error, float | int) and math.isfinite(error) and error > 0.0:
        digits = max(0, min(6, 1 - math.floor(math.log10(error))))  # two of the error's
        shown = f"{value:.{digits}f} ± {error:.{digits}f}"
    shown = shown.replace("-", "\N{MINUS SIGN}")
    return f"{shown} {unit}" if unit else shown


def plain_text(value: Value) -> str:
    """A value as programs read it."""
    if isinstance(value, float):
        return f"{value:.10g}"
    return "" if value is None else " ".join(str(value).split())[:MAX_TEXT]


def filter_text(row: ValueRow, operator: str) -> str:
    """A filter that this row's candidate passes, in the language of the queue."""
    if row.is_text:
        escaped = row.plain.replace("\\", "\\\\").replace('"', '\\"')
        return f'{row.key}="{escaped}"'
    return f"{row.key}{operator}{row.plain}"


def page_address(service: Service, ra: float, dec: float, values: Mapping[str, Value]) -> str:
    """The archive's page about an object; empty where there is none."""
    address = service.page.replace("{ra}", f"{ra:.6f}").replace("{dec}", f"{dec:.6f}")
    for name, value in values.items():
        if f"{{{name}}}" in address:
            address = address.replace(f"{{{name}}}", quote(plain_text(value), safe=""))
    return address


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
