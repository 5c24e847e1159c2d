"""One spectrum of the contact sheet as a picture, drawn in any thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

from agent.spectra.spectrum import Window
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.base.theme.theme import Theme, mixed
from app.ui.judge.plot.axes.flux_range import flux_range
from app.ui.judge.plot.canvas.axes import tick_texts, ticks
from app.ui.judge.plot.canvas.curve import (
    LIMIT_PX,
    OWN_WIDTH,
    is_dense,
    pieces,
    thin,
    visible,
    widened,
)
from app.ui.judge.plot.canvas.paint import dot_pen
from app.ui.judge.plot.canvas.plot_box import Scale
from app.ui.judge.plot.marks import Mark
from app.ui.judge.plot.trace import Trace

CURVE_PX = 1.0
TICK_PX, TICKS_APART_PX = 3.0, 46.0
MORE_TICKS = 4
EDGE_PX = 2.0  # below the numbers, for the colour of a verdict
LINE_SHARE, BAND_SHARE = 0.3, 0.14  # of their colour in what marks lines and bands


@dataclass(frozen=True)
class CellLook:
    """What all pictures of a sheet have in common; lengths are in dots of the screen."""

    theme: Theme
    width: int
    height: int
    top: int  # left free for what is written above the spectrum
    dots: float  # per pixel
    font: str  # as QFont writes itself
    window: Window | None  # at rest; None: the whole spectrum
    unit: str
    medium: str
    is_rest: bool


def cell_picture(
    drawn: Trace, look: CellLook, marks: Sequence[Mark], frame: WavelengthFrame, z: float
) -> QImage:
    """The curve down to its last pixel over the class's lines, with round wavelengths below.

    `marks` are in the observed frame, as is the spectrum.
    """
    theme, dots = look.theme, look.dots
    image = QImage(look.width, look.height, QImage.Format.Format_RGB32)
    image.fill(QColor(theme.plot))
    painter = QPainter(image)
    font = QFont()
    font.fromString(look.font)
    painter.setFont(font)
    text_height = QFontMetricsF(font).height()
    bottom = look.height - text_height - (TICK_PX + EDGE_PX) * dots
    room = QRectF(0.0, look.top, look.width, bottom - look.top)
    window = look.window and (look.window[0] * (1.0 + z), look.window[1] * (1.0 + z))
    lo, hi = window or drawn.range
    if lo < hi and room.height() > 0.0:
        low, high = flux_range(drawn, (lo, hi))
        scale = Scale(lo, hi, low, high, room.width(), room.height())
        _draw_marks(painter, look, marks, scale, room)
        _draw_wavelengths(painter, look, frame, scale, bottom)
        painter.setClipRect(room)
        painter.translate(0.0, look.top)
        _draw_curve(painter, look, drawn, scale)
    painter.end()
    return image


def _draw_marks(
    painter: QPainter, look: CellLook, marks: Sequence[Mark], scale: Scale, room: QRectF
) -> None:
    theme = look.theme
    for mark in (each for each in marks if each.extent is not None):
        left, right = (scale.x(max(min(each, scale.hi), scale.lo)) for each in mark.extent or ())
        shade = QColor(mixed(theme.plot, theme.band, BAND_SHARE))
        painter.fillRect(QRectF(left, room.top(), right - left, room.height()), shade)
    for mark in marks:
        if scale.lo <= mark.wavelength <= scale.hi:
            colour = mixed(theme.plot, theme.band if mark.is_band else theme.line, LINE_SHARE)
            place = QRectF(round(scale.x(mark.wavelength)), room.top(), 0.0, room.height())
            painter.fillRect(place.adjusted(0.0, 0.0, _hairline(look), 0.0), QColor(colour))


def _draw_wavelengths(
    painter: QPainter, look: CellLook, frame: WavelengthFrame, scale: Scale, bottom: float
) -> None:
    metrics, theme = QFontMetricsF(painter.font()), look.theme
    painter.fillRect(QRectF(0.0, bottom, scale.width, _hairline(look)), QColor(theme.border))
    ends = frame.shown(scale.lo), frame.shown(scale.hi)
    most = max(int(scale.width / (TICKS_APART_PX * look.dots)), 2)
    tried = (ticks(*ends, each) for each in range(most, most + MORE_TICKS))
    values = next((each for each in tried if len(each) > 1), ())  # one alone says no scale
    painter.setPen(QColor(theme.dim))
    free_from, lowest = 0.0, look.height - EDGE_PX * look.dots - metrics.descent()
    for value, text in zip(values, tick_texts(values), strict=True):
        x, width = scale.x(frame.observed(value)), metrics.horizontalAdvance(text)
        tick = QRectF(round(x), bottom, _hairline(look), TICK_PX * look.dots)
        painter.fillRect(tick, QColor(theme.axis))
        apart = 3.0 * look.dots  # from the edge
        left = min(max(x - 0.5 * width, apart), scale.width - width - apart)
        if left >= free_from:
            painter.drawText(QPointF(left, lowest), text)
            free_from = left + width + 4.0 * look.dots


def _draw_curve(painter: QPainter, look: CellLook, drawn: Trace, scale: Scale) -> None:
    """Of many pixels in a column of dots the lowest and the highest are drawn, and joined."""
    inside = visible(drawn.wavelength, scale.lo, scale.hi)
    x, y = scale.x(drawn.wavelength[inside]), scale.y(drawn.on_axis(drawn.flux[inside]))
    dense, width = is_dense(x, scale.width), CURVE_PX * look.dots
    x, y = thin(x, y, scale.width)
    if dense and width > 1.0:  # Qt draws lines wider than a dot a hundred times slower
        y = widened(y, 0.5 * (width - OWN_WIDTH))
    painter.setPen(dot_pen(look.theme.flux, 1.0 if dense else width))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, not dense)
    y = y.clip(-LIMIT_PX, LIMIT_PX)
    for part in pieces(y):
        if part.stop - part.start > 1:
            painter.drawPolyline(pg.functions.arrayToQPolygonF(x[part], y[part]))
        else:
            painter.drawPoint(QPointF(x[part.start], y[part.start]))


def _hairline(look: CellLook) -> float:
    return float(max(round(look.dots), 1))


def covers(drawn: Trace, look: CellLook, z: float) -> bool:
    """Whether the spectrum reaches into the window."""
    window, (first, last) = look.window, drawn.range
    return window is None or (window[0] * (1.0 + z) < last and first < window[1] * (1.0 + z))
