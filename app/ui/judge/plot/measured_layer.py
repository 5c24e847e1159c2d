"""Lines measured by hand: the continuum between the two points, with the equivalent width."""

from collections.abc import Sequence

import numpy as np
from pyqtgraph.functions import arrayToQPolygonF
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from agent.evidence.line_words import ew_text
from agent.spectra.measure.fitted_profile import FittedProfile
from agent.spectra.spectrum import Window
from app.core.session.measurements import HandMeasurement
from app.ui.judge.plot.canvas.layers import Layer
from app.ui.judge.plot.trace import Trace

POINT_PX, LINE_PX = 3.5, 1.6
PAD_PX = 3.0  # of the background of a label, on each side
FARTHEST, MOST_ROWS = 4.0, 30
"""So many of its heights a label moves away from the continuum to leave the curve free; and at most
to leave other labels free."""


class MeasuredLayer(Layer):
    depth = 22  # above the curve and the marks
    shown: Sequence[HandMeasurement] = ()
    fits: Sequence[FittedProfile] = ()
    trace: Trace | None = None  # says where a flux of the file is drawn
    labels: list[QRectF]  # where they were painted
    dragged: Window | None = None  # the two points while they are being chosen

    def draw(self, painter: QPainter) -> None:
        scale, trace = self.box.scale_now, self.trace
        self.labels = []
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self.theme.accent), LINE_PX))
        if trace is not None:
            for fit in self.fits:
                x, y = scale.x(fit.wavelength), scale.y(trace.place_all(fit.wavelength, fit.flux))
                painter.drawPolyline(arrayToQPolygonF(x, y))
        for each in self.shown:
            if trace is None or each.right[0] < scale.lo or each.left[0] > scale.hi:
                continue
            points = ((at, trace.place(at, flux)) for at, flux in (each.left, each.right))
            ends = [QPointF(scale.x(at), scale.y(y)) for at, y in points]
            self._draw(painter, ends)
            self._draw_label(painter, trace, ends, each)
        if self.dragged is not None:
            painter.setPen(QPen(QColor(self.theme.accent), LINE_PX, Qt.PenStyle.DashLine))
            for at in self.dragged:
                painter.drawLine(QPointF(scale.x(at), 0.0), QPointF(scale.x(at), scale.height))

    def at(self, wavelength: float) -> HandMeasurement | None:
        """The narrowest measurement around a wavelength."""
        around = [each for each in self.shown if each.left[0] <= wavelength <= each.right[0]]
        return min(around, key=lambda each: each.right[0] - each.left[0], default=None)

    def _draw(self, painter: QPainter, ends: list[QPointF]) -> None:
        colour = QColor(self.theme.accent)
        painter.setPen(QPen(colour, LINE_PX))
        painter.drawLine(*ends)
        painter.setBrush(colour)
        for end in ends:
            painter.drawEllipse(end, POINT_PX, POINT_PX)

    def _draw_label(
        self, painter: QPainter, trace: Trace, ends: list[QPointF], measured: HandMeasurement
    ) -> None:
        """Draw the label on the side of the continuum where the line is not."""
        text, size = width_text(measured), self.box.rect()
        width, height = self.texts.width(text) + 2.0 * PAD_PX, self.texts.height
        middle = (ends[0] + ends[1]) / 2.0
        left = min(max(middle.x() - 0.5 * width, 0.0), max(size.width() - width, 0.0))
        below = measured.ew < 0
        highest, lowest = self._extent(trace, left, left + width)
        if below:
            free = max(lowest, middle.y() + POINT_PX) + PAD_PX
            top = min(free, middle.y() + FARTHEST * height)
        else:
            free = min(highest, middle.y() - POINT_PX) - PAD_PX - height
            top = max(free, middle.y() - (FARTHEST + 1.0) * height)
        place = self._free_place(
            QRectF(left, min(max(top, 0.0), size.height() - height), width, height), below
        )
        self.labels.append(place)
        painter.fillRect(place, QColor(self.theme.plot))
        painter.setPen(QColor(self.theme.accent))
        self.texts.draw(painter, left + PAD_PX, place.top(), text)

    def _free_place(self, place: QRectF, below: bool) -> QRectF:
        """The place, or the nearest that no other label has taken: beside it, or farther off."""
        taken = [each for each in self.labels if each.intersects(place)]
        beside = [each.right() - place.left() + PAD_PX for each in taken]
        away = place.height() if below else -place.height()
        moves = [
            *((aside, 0.0) for aside in beside if aside <= 0.5 * place.width()),
            *((0.0, step * away) for step in (*range(1, MOST_ROWS), *range(-1, -MOST_ROWS, -1))),
        ]
        for moved in (place.translated(*move) for move in ((0.0, 0.0), *moves)):
            is_inside = self.box.rect().contains(moved)
            if is_inside and not any(map(moved.intersects, self.labels)):
                return moved
        return place

    def _extent(self, trace: Trace, left: float, right: float) -> tuple[float, float]:
        """The highest and the lowest pixel of the curve between two of the box."""
        scale = self.box.scale_now
        window = scale.wavelength(left), scale.wavelength(right)
        flux = trace.flux[slice(*trace.wavelength.searchsorted(window).tolist())]
        flux = flux[np.isfinite(flux)]
        if not flux.size:
            return scale.height, 0.0
        low, high = trace.on_axis(np.array([flux.min(), flux.max()])).tolist()
        return scale.y(high), scale.y(low)


def width_text(measurement: HandMeasurement) -> str:
    """The line and its equivalent width, such as `Hα EW −15.5 ± 0.5 Å`."""
    width = ew_text(measurement.ew, measurement.ew_error)
    return f"{measurement.line} EW {width} Å".replace("-", "\N{MINUS SIGN}")
