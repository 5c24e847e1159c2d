"""Bad pixels, sky lines and telluric bands as shades behind everything."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from agent.spectra.lines import Line
from agent.spectra.spectrum import BoolArray, FloatArray
from app.ui.plot.layers import Layer, over
from app.ui.plot.scale import Scale
from app.ui.plot.trace import Range

SKY_LINE_A = 4.0
"""Half of what a sky line without an extent is shaded over."""
RUG_PX = 5.0
"""Height of the bar at the foot of bad pixels: told without colour, too."""
LEAST_SHADE_PX = 1.5
SPAN = re.compile(r" \d+-\d+$")
"""In the name of a band: its shade shows it."""


class Shades(Layer):
    """Bad pixels, sky lines and telluric bands; the latter stay put when the velocity moves."""

    depth = -60

    def __init__(self, *about: Any) -> None:
        super().__init__(*about)
        self.bad: tuple[Range, ...] = ()
        self.windows: tuple[Range, ...] = ()
        self.names: tuple[tuple[Range, str], ...] = ()

    def show_terrestrial(self, lines: tuple[Line, ...]) -> None:
        self.windows = merged([_shaded(line) for line in lines])
        bands = [line for line in lines if line.kind == "telluric"]
        self.names = tuple((_shaded(line), SPAN.sub("", line.label)) for line in bands)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        scale = self.stage.scale_now
        theme = self.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for windows, colour in (
            (self.windows, over(theme.sky, theme.plot)),
            (self.bad, over(theme.bad_pixels, theme.plot)),
        ):
            fill(painter, colour, rectangles(windows, scale, 0.0, scale.height))
        foot = rectangles(self.bad, scale, scale.height - RUG_PX, scale.height)
        fill(painter, QColor(theme.bad_pixels[:1] + theme.bad_pixels[-6:]), foot)
        self._name_them(painter, scale)

    def _name_them(self, painter: QPainter, scale: Scale) -> None:
        """At the foot, where there is room."""
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
        """Whether the sky's shade lies behind it."""
        if not self.windows or not self.isVisible():
            return np.zeros(wavelength.size, dtype=np.bool_)
        edges = np.array(self.windows).ravel()
        return np.asarray(edges.searchsorted(wavelength) % 2 == 1)


def merged(windows: Sequence[Range]) -> tuple[Range, ...]:
    """As ranges that do not overlap: a shade over a shade would look like something else."""
    found: list[Range] = []
    for lo, hi in sorted(windows):
        if found and lo <= found[-1][1]:
            found[-1] = found[-1][0], max(hi, found[-1][1])
        else:
            found.append((lo, hi))
    return tuple(found)


def _shaded(line: Line) -> Range:
    return line.extent or (line.wavelength - SKY_LINE_A, line.wavelength + SKY_LINE_A)


def rectangles(windows: tuple[Range, ...], scale: Scale, top: float, bottom: float) -> list[QRectF]:
    found = []
    for lo, hi in windows:
        if hi > scale.lo and lo < scale.hi:
            left, right = max(scale.x(lo), 0.0), min(scale.x(hi), scale.width)
            width = max(right - left, LEAST_SHADE_PX)
            found.append(QRectF(left, top, width, bottom - top))
    return found


def fill(painter: QPainter, colour: QColor, rectangles: list[QRectF]) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRects(rectangles)
