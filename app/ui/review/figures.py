"""Figures of the review pages: small, still, and in the colours of the theme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from agent.confidence.reliability import Bin
from agent.confidence.scores import Estimate as Measured
from app.core.statistics.drift import VerdictBlock
from app.core.statistics.number_format import rounded
from app.ui.theme.theme import CurrentTheme, Theme

ROW_PX = 26
NAME_PX, VALUE_PX = 215, 176
"""Of the columns beside intervals, alike in all figures."""
LONGEST_NAME = 30
MARKS = (0.0, 0.4, 0.8, 1.0)
"""Of kappa: chance, and where agreement is called fair, very good, and whole."""


@dataclass(frozen=True)
class FigureRow:
    """A figure with its interval, drawn from the top down. `tone` names a colour of the theme."""

    name: str
    figure: Measured
    n: int
    tone: str = "flux"


class Figure(pg.PlotWidget):  # type: ignore[misc]
    """Nothing in it moves; what is drawn is drawn anew for another theme."""

    def __init__(
        self, current_theme: CurrentTheme, name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, enableMenu=False)
        self._current_theme = current_theme
        self._drawn: tuple[Any, ...] = ()
        self.setAccessibleName(name)
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(self.Shape.NoFrame)
        current_theme.changed.connect(self._restyle)

    @property
    def theme(self) -> Theme:
        return self._current_theme.theme

    def draw(self, how: Any, *what: Any) -> None:
        """`how(figure, *what)` puts the items in."""
        self._drawn = (how, *what)
        self._restyle()

    def wheelEvent(self, event: Any) -> None:
        """It belongs to the page."""
        event.ignore()

    def put(self, item: Any) -> None:
        self.getPlotItem().addItem(item)

    def line(self, x: Any, y: Any, tone: str, **pen: Any) -> None:
        pen_used = pg.mkPen(getattr(self.theme, tone), **pen)
        self.put(pg.PlotDataItem(x, y, pen=pen_used, antialias=True))

    def points(self, x: Sequence[float], y: Sequence[float], tone: str, symbol: str = "o") -> None:
        colour = getattr(self.theme, tone)
        shape = {"symbol": symbol, "size": 8, "pen": pg.mkPen(self.theme.panel)}
        self.put(pg.ScatterPlotItem(list(x), list(y), brush=pg.mkBrush(colour), **shape))

    def ranges(self, low: float, high: float, bottom: float, top: float) -> None:
        item = self.getPlotItem()
        item.setXRange(low, high, padding=0)
        item.setYRange(bottom, top, padding=0)

    def _restyle(self, *_: object) -> None:
        theme, item = self.theme, self.getPlotItem()
        item.clear()
        self.setBackground(theme.panel)
        for side in ("left", "bottom", "right"):
            axis = item.getAxis(side)
            axis.setPen(pg.mkPen(theme.border))
            axis.setTextPen(pg.mkPen(theme.dim))
            axis.setStyle(tickLength=0)
        if self._drawn:
            how, *what = self._drawn
            how(self, *what)


def draw_rows(figure: Figure, rows: Sequence[FigureRow], low: float = -0.2) -> None:
    """Kappa of each with its interval: the names at the left."""
    for mark in MARKS:
        style = Qt.PenStyle.SolidLine if mark == 0.0 else Qt.PenStyle.DotLine
        figure.line([mark, mark], [-0.6, len(rows) - 0.4], "border", style=style)
    for place, row in enumerate(rows):
        if row.figure.value is None:
            continue
        y = len(rows) - 1 - place
        figure.line([max(row.figure.low, low), row.figure.high], [y, y], row.tone, width=2)
        figure.points([max(row.figure.value, low)], [y], row.tone)
    places = [len(rows) - 1 - place for place in range(len(rows))]
    item = figure.getPlotItem()
    item.showAxis("right")
    for side, width, texts in (
        ("left", NAME_PX, [short(row.name) for row in rows]),
        ("right", VALUE_PX, [f"{bracketed(row.figure)} · n = {row.n:,}" for row in rows]),
    ):
        axis = item.getAxis(side)
        axis.setWidth(width)
        axis.setTicks([list(zip(places, texts, strict=True))])
    item.getAxis("bottom").setTicks([[(mark, f"{mark:g}") for mark in MARKS]])
    figure.setFixedHeight(44 + ROW_PX * max(len(rows), 1))
    figure.ranges(low, 1.03, -0.6, max(len(rows), 1) - 0.4)


def draw_reliability(
    figure: Figure, raw: Sequence[Bin], calibrated: Sequence[Bin] | None, labels: tuple[str, str]
) -> None:
    """What was found over what was said; on the diagonal both are the same."""
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
    figure.ranges(-0.02, 1.02, -0.02, 1.02)


def draw_blocks(figure: Figure, blocks: Sequence[VerdictBlock]) -> None:
    """The share accepted in each block of verdicts, and the agent's mean p(YES) of the same."""
    known = [(place, each.accepted) for place, each in enumerate(blocks, start=1)]
    drawn = [(place, share) for place, share in known if share.value is not None]
    for place, share in drawn:
        figure.line([place, place], [share.low, share.high], "accept")
    if drawn:
        places = [place for place, _ in drawn]
        shares = [share.value or 0.0 for _, share in drawn]
        figure.line(places, shares, "accept", width=1.5)
        figure.points(places, shares, "accept")
    said = [(place, each.p_yes) for place, each in enumerate(blocks, 1) if each.p_yes is not None]
    if said:
        figure.line([p for p, _ in said], [v for _, v in said], "agent", style=Qt.PenStyle.DashLine)
    whole = [(place, str(place)) for place in range(1, len(blocks) + 1)]
    figure.getPlotItem().getAxis("bottom").setTicks([whole])
    figure.ranges(0.6, len(blocks) + 0.4, -0.02, 1.02)


def draw_chances(
    figure: Figure, real: Any, other: Any, unjudged: Any, cut: float | None, label: str
) -> None:
    """How many candidates have which p(YES), as square roots so that few are seen, too."""
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
    item.getAxis("left").setTicks([[(np.sqrt(n), str(n)) for n in _round_numbers(top * top)]])
    figure.ranges(-0.01, 1.01, 0.0, top)


def bracketed(figure: Measured) -> str:
    """The figure and its interval, as tables have it; a dash where it is not defined."""
    if figure.value is None:
        return "–"
    value, low, high = (rounded(each) for each in (figure.value, figure.low, figure.high))
    return f"{value} [{low}, {high}]".replace("-", "−")


def short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def _round_numbers(most: float) -> list[int]:
    found = [n for n in (1, 10, 100, 1000, 10_000, 100_000, 1_000_000) if n <= most]
    return found or [1]
