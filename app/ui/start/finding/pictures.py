"""FoundPictures of what a search found: p against S/N, and the sky. A click names a point."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QWidget

from app.core.finding.choice import ODD
from app.ui.base.theme.theme import CurrentTheme
from app.ui.start.finding.search_thread import FoundRow
from app.ui.widgets.chart import Chart
from app.ui.widgets.labels import ElidedLabel, column, row, wrapped_label

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
        self._picked = place
        self.name.show_text(self._about(self._rows[place]) if place >= 0 else "")
        self._draw()

    def _about(self, found: FoundRow) -> str:
        where = f"{found.path}#{found.row}" if found.row > 0 else found.path
        return f"{found.name} · {score_name(self._task)} {found.score:.3g} · {where}"

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
