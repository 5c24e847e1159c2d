"""The strip below the plot: the whole spectrum, with a region to drag for the current window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from agent.spectra.spectrum import Window
from app.ui.plot.layers import blend, polygon, thin_pen
from app.ui.plot.scale import Scale
from app.ui.plot.texts import TextCache
from app.ui.plot.trace import Trace, flux_range, pieces, thin
from app.ui.theme.theme import Theme

HEIGHT = 68
TOP_PX, FOOT_PX = 15.0, 12.0
"""Margins for the task's windows (above) and the agent's (below)."""
GRIP_PX = 5.0
MIN_REGION_PX = 4.0
BAR_ALPHA = "#46"
LEFT, ALL, RIGHT, NEW = range(4)
"""What is being dragged: an edge, the whole region, or a new region."""


@dataclass(frozen=True)
class Bracket:
    """A window marked in the strip, with a short name and a longer one for the tooltip."""

    range: Window
    name: str
    tooltip: str


class Overview(QWidget):
    """Drag the region or its edges, click elsewhere to centre it, double-click to show all."""

    range_requested = Signal(float, float)
    """The window, repeatedly while it is dragged."""
    released = Signal()
    whole_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.texts = TextCache(self.font())
        self.window_now: Window | None = None
        self.task_windows: Sequence[Bracket] = ()
        self.agent_windows: Sequence[Bracket] = ()
        self._trace: Trace | None = None
        self._picture: QPixmap | None = None
        self._left = self._right = 0.0
        self._grabbed: tuple[int, float, Window] | None = None
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(self.tr("Overview of the whole spectrum"))

    # Content

    def show_trace(self, trace: Trace | None) -> None:
        self._trace = trace
        self._repaint()

    def show_window(self, window: Window | None) -> None:
        self.window_now = window
        self.update()

    def show_task_windows(self, brackets: Sequence[Bracket]) -> None:
        if brackets != self.task_windows:
            self.task_windows = brackets
            self._repaint()

    def show_agent_windows(self, brackets: Sequence[Bracket]) -> None:
        if brackets != self.agent_windows:
            self.agent_windows = brackets
            self._repaint()

    def align(self, left: float, right: float) -> None:
        """Use the plot's left and right margins (pixels), so that wavelengths line up with it."""
        if (left, right) != (self._left, self._right):
            self._left, self._right = left, right
            self._repaint()

    def apply_theme(self, theme: Theme) -> None:
        self.theme = theme
        self._repaint()

    def scale(self) -> Scale | None:
        """The wavelength scale inside the margins; None while there is nothing to show."""
        width = self.width() - self._left - self._right
        if self._trace is None or width < 10:
            return None
        lo, hi = self._trace.range
        return Scale(lo, hi, 0.0, 1.0, width, 1.0)

    def x_of(self, wavelength: float) -> float:
        scale = self.scale()
        return 0.0 if scale is None else self._left + scale.x(wavelength)

    # Qt events

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._picture is None:
            self._picture = self._render()
        painter.drawPixmap(0, 0, self._picture)
        if self.window_now is not None and self._trace is not None:
            self._draw_region(painter, self._region(self.window_now))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._repaint()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.texts.set_font(self.font())
            self._repaint()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self.scale() is None:
            return
        x = event.position().x()
        if self.window_now is None:
            self._grabbed = NEW, x, (0.0, 0.0)
            return
        part = self._part_at(x)
        if part is None:
            self._centre_on(x)
        self._grabbed = ALL if part is None else part, x, self.window_now

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        scale = self.scale()
        if self._grabbed is None or scale is None:
            self._show_handle(x)
            return
        part, start, (lo, hi) = self._grabbed
        shift = (x - start) * scale.per_pixel
        min_width = MIN_REGION_PX * scale.per_pixel
        if part == LEFT:
            lo = min(lo + shift, hi - min_width)
        elif part == RIGHT:
            hi = max(hi + shift, lo + min_width)
        elif part == ALL:
            lo, hi = lo + shift, hi + shift
        else:
            lo, hi = sorted(scale.wavelength(end - self._left) for end in (start, x))
            if hi - lo < min_width:
                return
        self.range_requested.emit(lo, hi)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._grabbed is not None:
            self._grabbed = None
            self.released.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._grabbed = None
        self.whole_requested.emit()

    # Drawing

    def _repaint(self) -> None:
        self._picture = None
        self.update()

    def _render(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(self.theme.plot))
        painter = QPainter(picture)
        painter.setFont(self.font())
        if self._trace is not None and self.scale() is not None:
            self._draw_brackets(painter, self.task_windows, 2.0, self.theme.accent)
            self._draw_brackets(
                painter, self.agent_windows, self.height() - FOOT_PX, self.theme.agent
            )
            self._draw_spectrum(painter, self._trace)
        painter.setPen(thin_pen(self.theme.border))
        painter.drawRect(self._inner().adjusted(0.0, 0.0, -1.0, -1.0))
        painter.end()
        return picture

    def _inner(self) -> QRectF:
        width = max(self.width() - self._left - self._right, 1.0)
        return QRectF(self._left, 0.0, width, float(self.height()))

    def _draw_spectrum(self, painter: QPainter, trace: Trace) -> None:
        inner = self._inner()
        low, high = flux_range(trace, trace.range)
        height = inner.height() - TOP_PX - FOOT_PX
        scale = Scale(*trace.range, low, high, inner.width(), height)
        x, y = thin(scale.x(trace.wavelength), scale.y(trace.flux), inner.width())
        y = np.clip(y, 0.0, height)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(inner.left(), TOP_PX)
        painter.setPen(thin_pen(self.theme.flux))
        for part in pieces(y):
            painter.drawPolyline(polygon(x[part], y[part]))
        painter.restore()

    def _draw_brackets(
        self, painter: QPainter, brackets: Sequence[Bracket], top: float, colour: str
    ) -> None:
        """Draw each window as a bar with its name, unless that would overlap the previous name.

        A bar narrower than its name has no edges, because they would cross the text.
        """
        bar = blend(BAR_ALPHA + colour[-6:], self.theme.plot)
        inner = self._inner()
        end = -1e9
        for each in sorted(brackets, key=lambda bracket: bracket.range):
            left, right = (
                min(max(self.x_of(edge), inner.left()), inner.right()) for edge in each.range
            )
            if right - left < 1.0:
                continue
            painter.fillRect(QRectF(left, top, max(right - left, 3.0), 10.0), bar)
            middle, width = 0.5 * (left + right), self.texts.width(each.name)
            is_named = middle - 0.5 * width > end + 2.0
            if right - left > width or not is_named:
                painter.setPen(QPen(QColor(colour), 1.0))
                painter.drawLines(
                    [QLineF(left, top, left, top + 10.0), QLineF(right, top, right, top + 10.0)]
                )
            if is_named:
                painter.setPen(QColor(self.theme.text))
                self.texts.draw(
                    painter, middle, top + 5.0 - 0.5 * self.texts.height, each.name, 0.5
                )
                end = middle + 0.5 * width

    def _region(self, window: Window) -> QRectF:
        inner = self._inner()
        ends = [min(max(self.x_of(end), inner.left()), inner.right()) for end in window]
        return QRectF(ends[0], 0.5, max(ends[1] - ends[0], 2.0), self.height() - 1.0)

    def _draw_region(self, painter: QPainter, region: QRectF) -> None:
        painter.fillRect(region, QColor(self.theme.window_region))
        painter.setPen(QPen(QColor(self.theme.accent), 1.0))
        painter.drawRect(region)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.accent))
        for x in (region.left(), region.right()):
            painter.drawRoundedRect(QRectF(x - 2.0, region.center().y() - 9.0, 4.0, 18.0), 2.0, 2.0)

    def _part_at(self, x: float) -> int | None:
        if self.window_now is None:
            return None
        region = self._region(self.window_now)
        near_left, near_right = abs(x - region.left()), abs(x - region.right())
        if min(near_left, near_right) <= GRIP_PX:
            return LEFT if near_left < near_right else RIGHT
        return ALL if region.left() < x < region.right() else None

    def _centre_on(self, x: float) -> None:
        scale = self.scale()
        if scale is None or self.window_now is None:
            return
        centre = scale.wavelength(x - self._left)
        half = 0.5 * (self.window_now[1] - self.window_now[0])
        self.range_requested.emit(centre - half, centre + half)

    def _show_handle(self, x: float) -> None:
        part = self._part_at(x)
        shape = Qt.CursorShape.ArrowCursor
        if part is not None:
            is_edge = part != ALL
            shape = Qt.CursorShape.SizeHorCursor if is_edge else Qt.CursorShape.SizeAllCursor
        self.setCursor(shape)
        self.setToolTip(self.tooltip_at(x))

    def tooltip_at(self, x: float) -> str:
        """Names of the windows at this position."""
        scale, brackets = self.scale(), (*self.task_windows, *self.agent_windows)
        wavelength = 0.0 if scale is None else scale.wavelength(x - self._left)
        inside = [each for each in brackets if each.range[0] <= wavelength <= each.range[1]]
        return ", ".join(each.tooltip for each in inside)
