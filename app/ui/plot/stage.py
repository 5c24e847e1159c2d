"""The rectangle the spectrum is drawn in, and its scale."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsItem, QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from app.ui.plot.scale import Scale
from app.ui.plot.trace import Range


class Stage(QGraphicsObject):
    """Wavelengths in angstrom, fluxes in the units of the trace. Layers are its children and paint
    in its pixels."""

    scale_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemClipsChildrenToShape)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemHasNoContents)
        self._size = QRectF(0.0, 0.0, 1.0, 1.0)
        self._window: Range = (0.0, 1.0)
        self._flux: Range = (0.0, 1.0)
        self._scale: Scale | None = None

    @property
    def scale_now(self) -> Scale:
        if self._scale is None:
            width, height = max(self._size.width(), 1.0), max(self._size.height(), 1.0)
            self._scale = Scale(*self._window, *self._flux, width, height)
        return self._scale

    @property
    def ranges(self) -> tuple[Range, Range]:
        """Of wavelength and of flux."""
        return self._window, self._flux

    def rect(self) -> QRectF:
        """In its own pixels."""
        return self._size

    def geometry(self) -> QRectF:
        """In the whole view."""
        return self._size.translated(self.pos())

    def place(self, where: QRectF) -> None:
        self.prepareGeometryChange()
        self.setPos(where.topLeft())
        self._size = QRectF(0.0, 0.0, where.width(), where.height())
        self._forget()

    def show_range(self, window: Range, flux: Range) -> None:
        ranges = _opened(window), _opened(flux)
        if ranges != (self._window, self._flux) and all(map(math.isfinite, (*window, *flux))):
            self._window, self._flux = ranges
            self._forget()

    def boundingRect(self) -> QRectF:
        return self._size

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Nothing: that is for the layers."""

    def _forget(self) -> None:
        self._scale = None
        self.scale_changed.emit()


def _opened(ends: Range) -> Range:
    """A spectrum may have one pixel only."""
    return ends if ends[0] < ends[1] else (ends[0] - 0.5, ends[0] + 0.5)
