"""Lines measured by hand: the continuum between the two points, with the equivalent width."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from agent.spectra.spectrum import Window
from app.core.session.measurements import HandMeasurement
from app.ui.plot.canvas.layers import Layer
from app.ui.plot.trace import Trace

POINT_PX, LINE_PX = 3.5, 1.6


class MeasuredLayer(Layer):
    depth = 22  # above the curve and the marks

    def __init__(self, *shared: object) -> None:
        super().__init__(*shared)  # type: ignore[arg-type]
        self.shown: Sequence[HandMeasurement] = ()
        self.trace: Trace | None = None
        """Says where a flux of the file is drawn."""
        self.dragged: Window | None = None
        """The two points while they are being chosen."""

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        scale, trace = self.box.scale_now, self.trace
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for each in self.shown:
            if trace is None or each.right[0] < scale.lo or each.left[0] > scale.hi:
                continue
            ends = [
                QPointF(scale.x(at), scale.y(trace.place(at, flux)))
                for at, flux in (each.left, each.right)
            ]
            self._draw(painter, ends, width_text(each))
        if self.dragged is not None:
            painter.setPen(QPen(QColor(self.theme.accent), LINE_PX, Qt.PenStyle.DashLine))
            for at in self.dragged:
                painter.drawLine(QPointF(scale.x(at), 0.0), QPointF(scale.x(at), scale.height))

    def _draw(self, painter: QPainter, ends: list[QPointF], text: str) -> None:
        colour = QColor(self.theme.accent)
        painter.setPen(QPen(colour, LINE_PX))
        painter.drawLine(*ends)
        painter.setBrush(colour)
        for end in ends:
            painter.drawEllipse(end, POINT_PX, POINT_PX)
        middle = (ends[0] + ends[1]) / 2.0
        room = self.box.rect().height() - self.texts.height
        top = min(max(middle.y() + POINT_PX + 2.0, 0.0), room)
        self.texts.draw(painter, middle.x(), top, text, 0.5)


def width_text(measurement: HandMeasurement) -> str:
    """The line and its equivalent width, such as `Hα EW −15.5 ± 0.5 Å`."""
    width = f"{measurement.ew:.3g}"
    if measurement.ew_error is not None:
        width = f"{width} ± {measurement.ew_error:.2g}"
    return f"{measurement.line} EW {width} Å".replace("-", "\N{MINUS SIGN}")
