"""Shading of bad pixels, sky lines and telluric bands, behind everything else."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from agent.spectra.lines import Line
from agent.spectra.spectrum import BoolArray, FloatArray, Window
from app.ui.base.theme.theme import Theme
from app.ui.judge.plot.canvas.layers import Layer
from app.ui.judge.plot.canvas.paint import TextCache, blend
from app.ui.judge.plot.canvas.plot_box import PlotBox, Scale

SKY_LINE_A = 4.0  # half width of the shade of a sky line that has no extent
RUG_PX = 5.0
"""Height of the bar below bad pixels, so that they do not differ by colour alone."""
MIN_SHADE_PX = 1.5
SPAN = re.compile(r" \d+-\d+$")
"""The range in the name of a band, left out because the shade shows it."""


class Shades(Layer):
    """Shaded wavelength ranges, in the observed frame."""

    depth = -60

    def __init__(self, box: PlotBox, theme: Theme, texts: TextCache) -> None:
        super().__init__(box, theme, texts)
        self.bad: tuple[Window, ...] = ()
        self.windows: tuple[Window, ...] = ()
        self.names: tuple[tuple[Window, str], ...] = ()

    def show_terrestrial(self, lines: tuple[Line, ...]) -> None:
        self.windows = merged([_shaded(line) for line in lines])
        bands = [line for line in lines if line.kind == "telluric"]
        self.names = tuple((_shaded(line), SPAN.sub("", line.label)) for line in bands)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        scale = self.box.scale_now
        theme = self.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for windows, colour in (
            (self.windows, blend(theme.sky, theme.plot)),
            (self.bad, blend(theme.bad_pixels, theme.plot)),
        ):
            fill(painter, colour, rectangles(windows, scale, 0.0, scale.height))
        foot = rectangles(self.bad, scale, scale.height - RUG_PX, scale.height)
        fill(painter, QColor(theme.bad_pixels[:1] + theme.bad_pixels[-6:]), foot)
        self._draw_names(painter, scale)

    def _draw_names(self, painter: QPainter, scale: Scale) -> None:
        """Draw the names of telluric bands at the bottom, where there is room."""
        painter.setPen(QColor(self.theme.dim))
        y = scale.height - self.texts.height - RUG_PX - 1.0
        end = 0.0
        for (lo, hi), label in sorted(self.names):
            left, right = max(scale.x(lo), 0.0), min(scale.x(hi), scale.width)
            width = self.texts.width(label)
            if right > left and width + 4.0 <= right - left and left >= end:
                self.texts.draw(painter, 0.5 * (left + right), y, label, 0.5)
                end = right

    def covers(self, wavelength: FloatArray) -> BoolArray:
        """Whether each wavelength is shaded as sky."""
        if not self.windows or not self.isVisible():
            return np.zeros(wavelength.size, dtype=np.bool_)
        return np.asarray(np.array(self.windows).ravel().searchsorted(wavelength) % 2 == 1)


def merged(windows: Sequence[Window]) -> tuple[Window, ...]:
    """The windows joined where they overlap: two translucent shades would look darker."""
    joined: list[Window] = []
    for lo, hi in sorted(windows):
        if joined and lo <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(hi, joined[-1][1])
        else:
            joined.append((lo, hi))
    return tuple(joined)


def _shaded(line: Line) -> Window:
    return line.extent or (line.wavelength - SKY_LINE_A, line.wavelength + SKY_LINE_A)


def rectangles(
    windows: tuple[Window, ...], scale: Scale, top: float, bottom: float
) -> list[QRectF]:
    found = []
    for lo, hi in windows:
        if hi > scale.lo and lo < scale.hi:
            left, right = max(scale.x(lo), 0.0), min(scale.x(hi), scale.width)
            found.append(QRectF(left, top, max(right - left, MIN_SHADE_PX), bottom - top))
    return found


def fill(painter: QPainter, colour: QColor, rectangles: list[QRectF]) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRects(rectangles)
