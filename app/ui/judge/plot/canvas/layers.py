"""The layers painted over and under the curves: the grid, and the windows marked on the plot."""

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from agent.spectra.spectrum import FloatArray, Window
from app.ui.base.theme.theme import Theme
from app.ui.judge.plot.canvas.axes import PlotAxis
from app.ui.judge.plot.canvas.paint import TextCache, hairline
from app.ui.judge.plot.canvas.plot_box import PlotBox


class Layer(QGraphicsObject):
    """One item painted in the pixels of the box; `depth` is the stacking order, curves are at 0."""

    # Not a pyqtgraph.GraphicsObject: each of those is told of every change of the range.

    depth = 0.0

    def __init__(self, box: PlotBox, theme: Theme, texts: TextCache) -> None:
        super().__init__(box)
        self.box, self.theme, self.texts = box, theme, texts
        self.setZValue(self.depth)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        box.geometryChanged.connect(self._resized)

    def boundingRect(self) -> QRectF:
        return QRectF(self.box.rect())

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        self.draw(painter)

    def draw(self, painter: QPainter) -> None:
        raise NotImplementedError

    def _resized(self) -> None:
        self.prepareGeometryChange()


class Grid(Layer):
    depth = -50

    def __init__(
        self, box: PlotBox, theme: Theme, texts: TextCache, axes: tuple[PlotAxis, PlotAxis]
    ) -> None:
        super().__init__(box, theme, texts)
        self._axes = axes

    def draw(self, painter: QPainter) -> None:
        size = self.box.rect()
        wavelengths, fluxes = (axis.content.marks for axis in self._axes)
        across = [QLineF(0.0, y, size.width(), y) for y, _ in fluxes]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(hairline(painter, self.theme.grid))
        painter.drawLines([*across, *(QLineF(x, 0.0, x, size.height()) for x, _ in wavelengths)])


ALPHA = 22
EDGE_PX = 2.0
CHIP_PX = 6.0


class LookLayer(Layer):
    """The window the agent looks at, and the zoom box while it is being dragged."""

    depth = 25  # above the line marks, so that its name can be read
    look: Window | None = None
    label = ""
    facts: tuple[tuple[float, str], ...] = ()
    """Wavelengths of the facts that decide the agent's answer, each with its number."""
    zoom_box: Window | None = None

    def draw(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if self.look is not None:
            self._draw(painter, self._rectangle(self.look), self.theme.agent)
            if self.label:
                self._draw_name(painter, self._rectangle(self.look))
        if self.zoom_box is not None:
            self._draw(painter, self._rectangle(self.zoom_box), self.theme.accent)
        self._draw_facts(painter)

    def _rectangle(self, window: Window) -> QRectF:
        scale = self.box.scale_now
        left, right = (min(max(scale.x(end), -9.0), scale.width + 9.0) for end in window)
        inset = 0.5 * EDGE_PX
        return QRectF(left, 0.0, right - left, scale.height).adjusted(inset, inset, -inset, -inset)

    def _draw(self, painter: QPainter, window: QRectF, colour: str) -> None:
        faint = QColor(colour)
        faint.setAlpha(0 if window.width() > 0.95 * self.box.rect().width() else ALPHA)
        painter.setPen(QPen(QColor(colour), EDGE_PX))
        painter.setBrush(faint)
        painter.drawRect(window)

    def _draw_facts(self, painter: QPainter) -> None:
        """Draw their numbers above the name of a look, one over another where they are near."""
        scale, height, right = self.box.scale_now, self.texts.height + 2.0, -1e9
        bottom = scale.height - 3.0 * height
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for wavelength, number in sorted(self.facts):
            x, width = scale.x(wavelength), self.texts.width(number) + 6.0
            if not 0.0 <= x <= scale.width:
                continue
            bottom = bottom - height if x - 0.5 * width < right else scale.height - 3.0 * height
            right = x + 0.5 * width
            chip = QRectF(x - 0.5 * width, bottom - height, width, height)
            painter.setPen(QPen(QColor(self.theme.agent), 1.2))
            painter.setBrush(QColor(self.theme.plot))
            painter.drawRoundedRect(chip, 4.0, 4.0)
            painter.setPen(QColor(self.theme.agent))
            self.texts.draw(painter, chip.left() + 3.0, chip.top() + 1.0, number)

    def _draw_name(self, painter: QPainter, window: QRectF) -> None:
        """Draw the name on a chip near the bottom, above the names of the telluric bands."""
        height = self.texts.height + 4.0
        width = self.texts.width(self.label) + 2.0 * CHIP_PX
        left = min(max(window.left(), 0.0) + 8.0, max(self.box.rect().width() - width - 8.0, 0.0))
        chip = QRectF(left, window.bottom() - 2.4 * height, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.agent))
        painter.drawRoundedRect(chip, 4.0, 4.0)
        painter.setPen(QColor(self.theme.on_agent))
        self.texts.draw(painter, chip.left() + CHIP_PX, chip.top() + 2.0, self.label)


# Breaks of the wavelength axis: wide gaps, as between the arms of LAMOST-MRS, drawn narrow.
WIDE = 0.1  # of the range of a spectrum; a narrower gap is drawn as wide as it is
MARGIN = 0.01  # of a gap, on each side, which is not hidden
TOOTH_PX, SLANT_PX = 6.0, 4.0


def wide_gaps(wavelength: FloatArray, flux: FloatArray) -> tuple[Window, ...]:
    """Ranges in which a file has no flux at all, each a good part of the whole."""
    known = np.isfinite(flux)
    if not known.any():
        return ()
    at = wavelength[known]
    widths = np.diff(at)
    wide = np.flatnonzero(widths > WIDE * (at[-1] - at[0]))
    edges = ((at[gap], at[gap + 1], MARGIN * widths[gap]) for gap in wide)
    return tuple((float(low + margin), float(high - margin)) for low, high, margin in edges)


class BreakLayer(Layer):
    """Torn edges in place of each gap, over all that would be squeezed into it."""

    depth = 10  # above the curves; no mark is in a gap, but names may reach into it

    def draw(self, painter: QPainter) -> None:
        scale = self.box.scale_now
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for first, last in scale.breaks:
            left, right = scale.x(first), scale.x(last)
            painter.fillRect(
                QRectF(left, -1.0, right - left, scale.height + 2.0), QColor(self.theme.plot)
            )
            painter.setPen(QPen(QColor(self.theme.axis), 1.0))
            for edge in (left, right):
                painter.drawPolyline(_torn(edge, scale.height))
            middle = 0.5 * (left + right)
            for y in (0.0, scale.height):  # the sign of a break, across the frame
                for x in (middle - SLANT_PX, middle + SLANT_PX):
                    ends = QPointF(x - SLANT_PX, y + SLANT_PX), QPointF(x + SLANT_PX, y - SLANT_PX)
                    painter.drawLine(QLineF(*ends))


def _torn(x: float, height: float) -> QPolygonF:
    """A zigzag from top to bottom."""
    teeth = int(height / TOOTH_PX) + 1
    sides = (x + (0.25 if tooth % 2 else -0.25) * TOOTH_PX for tooth in range(teeth + 1))
    return QPolygonF([QPointF(at, tooth * TOOTH_PX) for tooth, at in enumerate(sides)])
