"""What a search has found so far: the best of a class, pictures of them, and what was not read."""

from __future__ import annotations

import math
from collections.abc import Set
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QSplitter, QTableView, QTabWidget, QWidget

from app.core.finding.choice import ODD
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.message_texts import translate_message
from app.ui.start.finding.search_thread import FoundRow, FoundSoFar
from app.ui.widgets.chart import Chart
from app.ui.widgets.labels import ElidedLabel, column, one_line, row, wrapped_label
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


# Pictures: p against S/N, and the sky. A click names a point.
LOWEST_PX = 150
SIZE, CHOSEN_SIZE, RING = 6, 7, 14
Points = list[tuple[float, float]]


class PointChart(Chart):
    """Points that can be clicked; the chosen ones are filled, one has a ring."""

    clicked = Signal(int)

    def __init__(self, current_theme: CurrentTheme, name: str) -> None:
        super().__init__(current_theme, name)
        self.setMinimumHeight(LOWEST_PX)
        self._points = np.empty((0, 2))
        self._chosen = np.empty(0, dtype=np.bool_)
        self._ringed = -1
        self._labels = "", ""
        self._restyle()

    def show_points(
        self, points: Points, chosen: list[bool], ringed: int, labels: tuple[str, str]
    ) -> None:
        self._points = np.array(points, dtype=np.float64).reshape(-1, 2)
        self._chosen = np.array(chosen, dtype=np.bool_)
        self._ringed, self._labels = ringed, labels
        self.redraw()

    def redraw(self) -> None:
        item, theme = self.getPlotItem(), self.theme
        item.clear()
        for side, text in zip(("bottom", "left"), self._labels, strict=True):
            item.setLabel(side, text, color=theme.dim)
        is_there = np.atleast_1d(np.isfinite(self._points).all(axis=1))
        for which, fill, size in (
            (~self._chosen, None, SIZE),
            (self._chosen, pg.mkBrush(theme.accent), CHOSEN_SIZE),
        ):
            numbers = np.flatnonzero(is_there & which)
            made = pg.ScatterPlotItem(
                *self._points[numbers].T, data=numbers, size=size, brush=fill,
                pen=pg.mkPen(theme.panel if fill else theme.dim),
            )  # fmt: skip
            made.sigClicked.connect(self._tell)
            item.addItem(made)
        if 0 <= self._ringed < len(is_there) and is_there[self._ringed]:
            ring = pg.mkPen(theme.text, width=2)
            x, y = self._points[self._ringed]
            item.addItem(pg.ScatterPlotItem([x], [y], size=RING, brush=None, pen=ring))

    def _tell(self, _: object, points: Any, __: object = None) -> None:
        self.clicked.emit(int(points[0].data()))


class FoundPictures(QWidget):
    """Shows the best of one class; of those that are chosen it says so."""

    picked = Signal(int)  # place among the rows

    def __init__(self, current_theme: CurrentTheme) -> None:
        super().__init__()
        self._rows: list[FoundRow] = []
        self._task, self._picked = "", -1
        self._chosen: Set[int] = frozenset()
        self.scores = PointChart(current_theme, self.tr("p(YES) against S/N"))
        self.sky = PointChart(current_theme, self.tr("Places in the sky"))
        self.sky.getPlotItem().invertX(True)  # east is on the left
        self.name = ElidedLabel("")
        text = self.tr("Filled: in the choice. Open: not in it. Click a point for its name.")
        self.legend = wrapped_label(text, "dim")
        for each in (self.scores, self.sky):
            each.clicked.connect(self.picked)
        column((row((self.scores, 1), (self.sky, 1)), 1), self.legend, self.name, parent=self)

    def show_rows(self, rows: list[FoundRow], task: str) -> None:
        if (rows, task) == (self._rows, self._task):
            return  # drawing 2,000 points takes a frame
        before = self._rows[self._picked][:2] if self._picked >= 0 else None
        self._rows, self._task = rows, task
        places = [place for place, each in enumerate(rows) if each[:2] == before]
        self.pick(places[0] if places else -1)

    def show_chosen(self, numbers: Set[int]) -> None:
        """Numbers of rows in the table."""
        self._chosen = numbers
        self._draw()

    def pick(self, place: int) -> None:
        self._picked, about = place, ""
        if place >= 0:
            found = self._rows[place]
            where = f"{found.path}#{found.row}" if found.row > 0 else found.path
            about = f"{found.name} · {score_name(self._task)} {found.score:.3g} · {where}"
        self.name.show_text(about)
        self._draw()

    def _draw(self) -> None:
        chosen = [each.number in self._chosen for each in self._rows]
        score = self.tr("S/N"), score_name(self._task)
        at_score = [(each.snr, each.score) for each in self._rows]
        self.scores.show_points(at_score, chosen, self._picked, score)
        sky = self.tr("RA (degrees)"), self.tr("Dec (degrees)")
        at_sky = [(each.ra, each.dec) for each in self._rows]
        self.sky.show_points(at_sky, chosen, self._picked, sky)


def score_name(task: str) -> str:
    if task == ODD:
        return QCoreApplication.translate("finding", "oddness")
    return f"p({task})" if task else "p"
