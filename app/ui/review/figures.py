"""Small figures of the review pages, in the colours of the theme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from agent import ellipsis
from agent.confidence.reliability import Bin
from agent.confidence.scores import Estimate
from app.core.statistics.drift import VerdictBlock
from app.core.statistics.number_format import rounded
from app.ui.base.theme.theme import CurrentTheme
from app.ui.widgets.chart import Chart

ROW_MARGIN_PX = 9
FOOT_ROWS = 1.7  # height of the axis below the rows, in rows
WIDEST_NAME, WIDEST_VALUE = "m" * 20, "0.00 [0.00, 0.00] · n = 0,000"
"""They set the widths of the columns beside the intervals, the same in all figures."""
PAD_PX = 14
MAX_NAME = 30
LOW = -0.2  # where the axis of kappa begins, unless an interval begins lower
MARKS = (0.0, 0.4, 0.8, 1.0)
"""Ticks of kappa: chance, and fair, almost perfect and complete agreement."""


@dataclass(frozen=True)
class FigureRow:
    """A value with its interval, drawn as one row. `tone` names a colour of the theme."""

    name: str
    figure: Estimate
    n: int
    tone: str = "flux"


class Figure(Chart):
    """A figure that a function draws."""

    def __init__(
        self, current_theme: CurrentTheme, name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(current_theme, name, parent)
        self._drawn: tuple[Any, ...] = ()
        self._names: tuple[str, ...] = ()
        for side in ("left", "bottom", "right"):
            self.getPlotItem().getAxis(side).setStyle(tickLength=0)

    def draw(self, function: Any, *arguments: Any) -> None:
        """Draw by calling `function(figure, *arguments)`, now and for each new theme."""
        self._drawn = (function, *arguments)
        self._restyle()

    def below(self, label: QWidget, column: QVBoxLayout, height: int) -> Figure:
        """Stand below a label at the end of a column."""
        self.setFixedHeight(height)
        column.addWidget(label)
        column.addWidget(self)
        return self

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if hasattr(self, "_names"):  # Qt also sends this while it builds the widget
            self._fit_names()

    def show_names(self, names: Sequence[str]) -> None:
        """Give the names of the rows a column that leaves the intervals their room."""
        self._names = tuple(names)
        self._fit_names()

    def _fit_names(self) -> None:
        if self._names:
            advance = self.fontMetrics().horizontalAdvance
            room = max(max(map(advance, self._names)), self.width() // 3 - PAD_PX)
            self.getPlotItem().getAxis("left").setWidth(min(advance(WIDEST_NAME), room) + PAD_PX)

    def add(self, item: Any) -> None:
        self.getPlotItem().addItem(item)

    def line(self, x: Any, y: Any, tone: str, **pen: Any) -> None:
        made = pg.mkPen(getattr(self.theme, tone), **pen)
        self.add(pg.PlotDataItem(x, y, pen=made, antialias=True))

    def points(self, x: Sequence[float], y: Sequence[float], tone: str, symbol: str = "o") -> None:
        colour = getattr(self.theme, tone)
        shape = {"symbol": symbol, "size": 8, "pen": pg.mkPen(self.theme.panel)}
        self.add(pg.ScatterPlotItem(list(x), list(y), brush=pg.mkBrush(colour), **shape))

    def set_ranges(self, low: float, high: float, bottom: float, top: float) -> None:
        item = self.getPlotItem()
        item.setXRange(low, high, padding=0)
        item.setYRange(bottom, top, padding=0)

    def redraw(self) -> None:
        self.getPlotItem().clear()
        if self._drawn:
            function, *arguments = self._drawn
            function(self, *arguments)


def draw_rows(figure: Figure, rows: Sequence[FigureRow], low: float = LOW) -> None:
    """Draw kappa with its whole interval for each row, names on the left, values on the right."""
    lowest = min((row.figure.low for row in rows if row.figure.value is not None), default=low)
    low = low if lowest >= low else lowest - 0.03
    marks = MARKS if low > -0.5 else (-0.5, *MARKS)
    for mark in marks:
        style = Qt.PenStyle.SolidLine if mark == 0.0 else Qt.PenStyle.DotLine
        figure.line([mark, mark], [-0.6, len(rows) - 0.4], "border", style=style)
    for index, row in enumerate(rows):
        if row.figure.value is None:
            continue
        y = len(rows) - 1 - index
        figure.line([row.figure.low, row.figure.high], [y, y], row.tone, width=2)
        figure.points([row.figure.value], [y], row.tone)
    positions = [len(rows) - 1 - index for index in range(len(rows))]
    item = figure.getPlotItem()
    item.showAxis("right")
    metrics = figure.fontMetrics()
    names = [shortened(row.name) for row in rows]
    values = [f"{value_with_interval(row.figure)} · n = {row.n:,}" for row in rows]
    figure.show_names(names)
    item.getAxis("right").setWidth(metrics.horizontalAdvance(WIDEST_VALUE) + PAD_PX)
    for side, texts in (("left", names), ("right", values)):
        item.getAxis(side).setTicks([list(zip(positions, texts, strict=True))])
    item.getAxis("bottom").setTicks([[(mark, f"{mark:g}".replace("-", "−")) for mark in marks]])
    row_px = metrics.height() + ROW_MARGIN_PX
    figure.setFixedHeight(round((max(len(rows), 1) + FOOT_ROWS) * row_px))
    figure.set_ranges(low, 1.03, -0.6, max(len(rows), 1) - 0.4)


def draw_reliability(
    figure: Figure, raw: Sequence[Bin], calibrated: Sequence[Bin] | None, labels: tuple[str, str]
) -> None:
    """Draw the accepted fraction over the predicted p(YES), equal on the diagonal."""
    figure.line([0, 1], [0, 1], "border", style=Qt.PenStyle.DashLine)
    curves = ((raw, "dim", "o"), (calibrated or (), "agent", "d"))
    for bins, tone, symbol in curves:
        at, share = [each.mean_p for each in bins], [each.share for each in bins]
        for each in bins:
            figure.line([each.mean_p, each.mean_p], [each.low, each.high], tone)
        if bins:
            figure.line(at, share, tone, width=1.5)
            figure.points(at, share, tone, symbol)
    item = figure.getPlotItem()
    item.setLabel("bottom", labels[0], color=figure.theme.dim)
    item.setLabel("left", labels[1], color=figure.theme.dim)
    figure.set_ranges(-0.02, 1.02, -0.02, 1.02)


def draw_drift(figure: Figure, blocks: Sequence[VerdictBlock]) -> None:
    """Draw the accepted fraction in each block of verdicts, and the agent's mean p(YES) there."""
    draw_blocks(figure, [each.accepted for each in blocks])
    p_yes = [(n, each.p_yes) for n, each in enumerate(blocks, 1) if each.p_yes is not None]
    if p_yes:
        numbers, means = [n for n, _ in p_yes], [p for _, p in p_yes]
        figure.line(numbers, means, "agent", style=Qt.PenStyle.DashLine)


def draw_blocks(figure: Figure, shares: Sequence[Estimate]) -> None:
    """Draw a share of each block with its interval."""
    drawn = [(n, each) for n, each in enumerate(shares, start=1) if each.value is not None]
    for number, share in drawn:
        figure.line([number, number], [share.low, share.high], "accept")
    if drawn:
        numbers = [number for number, _ in drawn]
        values = [share.value or 0.0 for _, share in drawn]
        figure.line(numbers, values, "accept", width=1.5)
        figure.points(numbers, values, "accept")
    ticks = [(number, str(number)) for number in range(1, len(shares) + 1)]
    figure.getPlotItem().getAxis("bottom").setTicks([ticks])
    figure.set_ranges(0.6, len(shares) + 0.4, -0.02, 1.02)


def draw_p_yes_histogram(
    figure: Figure, real: Any, other: Any, unjudged: Any, cut: float | None, label: str
) -> None:
    """Draw histograms of p(YES). Heights are square roots, so that small counts are visible."""
    edges = np.linspace(0.0, 1.0, 21)
    tops = []
    style = Qt.PenStyle
    for values, tone, pen in (
        (unjudged, "dim", style.DotLine),
        (other, "reject", style.DashLine),
        (real, "accept", style.SolidLine),
    ):
        height = np.sqrt(np.histogram(np.asarray(values), edges)[0].astype(float))
        tops.append(float(height.max(initial=0.0)))
        x, y = np.repeat(edges, 2)[1:-1], np.repeat(height, 2)
        figure.line(x, y, tone, style=pen, width=2 if tone == "accept" else 1.5)
    top = max(1.0, *tops) * 1.1
    if cut is not None:
        figure.line([cut, cut], [0.0, top], "accent", width=2)
    item = figure.getPlotItem()
    item.setLabel("bottom", label, color=figure.theme.dim)
    powers = [10**power for power in range(7) if 10**power <= top * top]
    item.getAxis("left").setTicks([[(np.sqrt(n), str(n)) for n in powers]])
    figure.set_ranges(-0.01, 1.01, 0.0, top)


def value_with_interval(figure: Estimate) -> str:
    """A value with its interval in brackets; a dash where it is not defined."""
    if figure.value is None:
        return "–"
    value, low, high = (rounded(each) for each in (figure.value, figure.low, figure.high))
    return f"{value} [{low}, {high}]".replace("-", "−")


def shortened(name: str) -> str:
    return ellipsis.shortened(name, MAX_NAME)
