"""The program's own mark: a spectrum with one line that is looked at closely."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from app.ui.theme import Looks, Theme

TRACE = (
    *((11, 66), (21, 60), (30, 63), (38, 57), (45, 58), (50, 23)),
    *((55, 57), (62, 53), (70, 56), (79, 49), (89, 51)),
)
"""In hundredths of the mark's side, from the left and from above."""
WINDOW = QRectF(38, 13, 24, 60)


def draw_mark(painter: QPainter, place: QRectF, theme: Theme) -> None:
    """A rounded plate with the trace on it, and the window around its line."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(place.topLeft())
    painter.scale(place.width() / 100.0, place.height() / 100.0)
    plate = QPainterPath()
    plate.addRoundedRect(QRectF(0, 0, 100, 100), 22, 22)
    painter.fillPath(plate, QColor(theme.accent))
    ink = QColor(theme.on_accent)
    shade = QColor(ink)
    shade.setAlpha(46)
    painter.setPen(QPen(ink, 2.6))
    painter.setBrush(shade)
    painter.drawRoundedRect(WINDOW, 5, 5)
    pen = QPen(ink, 5.4)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in TRACE]))
    painter.setPen(QPen(shade, 2.2))
    painter.drawLine(QPointF(12, 84), QPointF(88, 84))
    painter.restore()


class ProgramMark(QWidget):
    def __init__(self, looks: Looks, side: int = 64, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._looks = looks
        self.setFixedSize(QSize(side, side))
        self.setAccessibleName(self.tr("The program's mark"))
        looks.changed.connect(self._redraw)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_mark(painter, QRectF(self.rect()), self._looks.theme)

    def _redraw(self, theme: Theme) -> None:
        self.update()
