"""What a search has found so far: the best of a class, pictures of them, and what was not read."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt
from PySide6.QtWidgets import QHeaderView, QSplitter, QTableView, QTabWidget, QWidget

from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.message_texts import translate_message
from app.ui.start.finding.found_work import FoundSoFar
from app.ui.start.finding.pictures import FoundPictures, score_name
from app.ui.start.finding.search_thread import FoundRow
from app.ui.widgets.labels import column, one_line, wrapped_label
from app.ui.widgets.pair_table import Index, RowsModel, fit_rows, show_rows

MOST_LISTED = 50
ROW_MARGIN_PX = 6
Role = Qt.ItemDataRole


class _BestModel(RowsModel):
    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        found: FoundRow = self.rows[index.row()]
        if role == Role.ToolTipRole:
            return found.path
        if role != Role.DisplayRole:
            return None
        numbers = (f"{found.score:.3f}", _text(found.snr, 1), _text(found.ra, 5))
        return (found.name, *numbers, _text(found.dec, 5))[index.column()]


class _UnreadModel(RowsModel):
    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        path, number, reason = self.rows[index.row()]
        name, why = path if number < 0 else f"{path}#{number}", translate_message(reason)
        if role == Role.ToolTipRole:
            return f"{name}\n{why}"
        return one_line((name, why)[index.column()], 400) if role == Role.DisplayRole else None


class FoundView(QWidget):
    def __init__(self, current_theme: CurrentTheme) -> None:
        super().__init__()
        self.count = wrapped_label("", "dim")
        self.best, self.best_model = self._table(_BestModel(self), self.tr("The best so far"))
        self.unread, self.unread_model = self._table(_UnreadModel(self), self.tr("Not read"))
        self.unread_model.titles = self.tr("File"), self.tr("Reason")
        self.unread.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.pictures = FoundPictures(current_theme)
        halves = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        halves.addWidget(self.best)
        halves.addWidget(self.pictures)
        halves.setStretchFactor(1, 1)
        self.tabs = QTabWidget()
        self.tabs.addTab(_padded(halves), self.tr("Found"))
        self.tabs.addTab(_padded(self.unread), self.tr("Not read"))
        column(self.count, (self.tabs, 1), parent=self)
        self.best.selectionModel().currentRowChanged.connect(self._pick_row)
        self.pictures.picked.connect(self._pick_point)

    def _table(self, model: RowsModel, name: str) -> tuple[QTableView, RowsModel]:
        view = QTableView()
        view.setModel(model)
        show_rows(view, name)
        view.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        view.setTabKeyNavigation(False)
        fit_rows(view, ROW_MARGIN_PX)
        return view, model

    def show_found(self, found: FoundSoFar) -> None:
        text = self.tr("{n} spectra in the table") if found.spectra != 1 else self.tr("1 spectrum")
        self.count.setText(text.replace("{n}", f"{found.spectra:,}"))
        names = self.tr("Object"), score_name(found.task), self.tr("S/N")
        self.best_model.titles = (*names, self.tr("RA"), self.tr("Dec"))
        self._keep_row(found.best[:MOST_LISTED])
        self.pictures.show_rows(found.best, found.task)
        if len(self.unread_model.rows) != len(found.unread):
            self.unread_model.reset(found.unread)
        text = self.tr("Not read: {n}").replace("{n}", f"{found.unread_count:,}")
        self.tabs.setTabText(1, text)

    def _keep_row(self, rows: list[FoundRow]) -> None:
        """Show rows, with the same one selected as before where it is among them."""
        before = self.best.currentIndex().row()
        key = self.best_model.rows[before][:2] if before >= 0 else None
        self.best_model.reset(rows)
        header = self.best.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._select([at for at, each in enumerate(rows) if each[:2] == key][:1])

    def _select(self, places: list[int]) -> None:
        model = self.best.selectionModel()
        flags = QItemSelectionModel.SelectionFlag
        for at in places:
            model.setCurrentIndex(self.best_model.index(at, 0), flags.ClearAndSelect | flags.Rows)
        if not places:
            model.clear()

    def _pick_row(self, now: QModelIndex, _: QModelIndex) -> None:
        if now.isValid():
            self.pictures.pick(now.row())

    def _pick_point(self, place: int) -> None:
        self._select([place] if place < len(self.best_model.rows) else [])
        self.pictures.pick(place)


def _padded(inner: QWidget) -> QWidget:
    page = QWidget()
    column((inner, 1), margins=8, parent=page)
    return page


def _text(number: float, decimals: int) -> str:
    return f"{number:.{decimals}f}" if math.isfinite(number) else "–"
