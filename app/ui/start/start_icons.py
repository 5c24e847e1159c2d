"""Small pictures beside the ways to begin, drawn as lines."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

Icon = Callable[[QPainter], None]
"""Draws into 24 by 24, with the pen that is set."""


def spectrum(painter: QPainter) -> None:
    points = ((2, 16), (6, 14), (9, 15), (12, 4), (15, 15), (18, 13), (22, 14))
    painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in points]))
    painter.drawLine(QPointF(2, 20.5), QPointF(22, 20.5))


def table(painter: QPainter) -> None:
    painter.drawRoundedRect(QRectF(3, 4, 18, 16), 2, 2)
    painter.drawLine(QPointF(3, 9), QPointF(21, 9))
    painter.drawLine(QPointF(3, 14.5), QPointF(21, 14.5))
    painter.drawLine(QPointF(9.5, 9), QPointF(9.5, 20))


def folder(painter: QPainter) -> None:
    points = ((3, 19), (3, 5), (9.5, 5), (11.5, 8), (21, 8), (21, 19), (3, 19))
    painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in points]))


def session(painter: QPainter) -> None:
    painter.drawRoundedRect(QRectF(5, 3, 14, 18), 2, 2)
    painter.drawPolyline(QPolygonF([QPointF(8.5, 12), QPointF(11, 15), QPointF(15.5, 8.5)]))


def draw_icon(painter: QPainter, icon: Icon, place: QRectF, colour: QColor) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(place.topLeft())
    painter.scale(place.width() / 24.0, place.height() / 24.0)
    pen = QPen(colour, 1.6)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    icon(painter)
    painter.restore()
