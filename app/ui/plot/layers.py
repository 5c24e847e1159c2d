"""The grid, and the curves over it."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QLineF
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from agent.spectra.spectrum import FloatArray
from app.ui.plot.layer import LIMIT_PX, Layer, polygon, thin_pen
from app.ui.plot.thin import pieces, thin, visible


class Grid(Layer):
    depth = -50

    def __init__(self, *about: Any) -> None:
        super().__init__(*about)
        self.vertical: list[float] = []
        self.horizontal: list[float] = []

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        size = self.stage.rect()
        across = [QLineF(0.0, y, size.width(), y) for y in self.horizontal]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(thin_pen(self.theme.grid))
        painter.drawLines([*across, *(QLineF(x, 0.0, x, size.height()) for x in self.vertical)])


class Curve(Layer):
    """Wavelengths in angstrom and fluxes in the units of the trace; NaN is a gap."""

    depth = 0

    def __init__(self, *about: Any, role: str) -> None:
        super().__init__(*about)
        self.role = role
        """Which colour of the theme."""
        self.is_dashed = False
        self.wavelength = self.flux = np.empty(0)
        self.was_painted = False

    def show_data(self, wavelength: FloatArray, flux: FloatArray) -> None:
        self.wavelength, self.flux = wavelength, flux
        self.was_painted = False

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        scale = self.stage.scale_now
        inside = visible(self.wavelength, scale.lo, scale.hi)
        x, y = scale.x(self.wavelength[inside]), scale.y(self.flux[inside])
        x, y = thin(x, y, scale.width)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(self._pen())
        for part in pieces(y):
            if part.stop - part.start > 1:
                painter.drawPolyline(polygon(x[part], y[part]))
            else:
                at, level = x[part.start], min(max(y[part.start], -LIMIT_PX), LIMIT_PX)
                painter.drawLine(QLineF(at - 1.0, level, at + 1.0, level))
        self.was_painted = True

    def _pen(self) -> QPen:
        pen = thin_pen(getattr(self.theme, self.role))
        if self.is_dashed:
            pen.setDashPattern([6.0, 3.0])
        return pen
