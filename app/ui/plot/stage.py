"""The rectangle the spectrum is drawn in, and its scale."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Signal

from app.ui.plot.scale import Scale
from app.ui.plot.trace import Range


class Stage(pg.ViewBox):  # type: ignore[misc]
    """Wavelengths in angstrom, fluxes in the units of the trace. Layers are its children and paint
    in its pixels."""

    scale_changed = Signal()

    def __init__(self) -> None:
        super().__init__(enableMenu=False, enableMouse=False, defaultPadding=0.0)
        self.disableAutoRange()
        self._scale: Scale | None = None
        self.sigRangeChanged.connect(self._forget)
        self.sigResized.connect(self._forget)

    @property
    def scale_now(self) -> Scale:
        if self._scale is None:
            (lo, hi), (bottom, top) = self.viewRange()
            size = self.rect()
            width, height = max(size.width(), 1.0), max(size.height(), 1.0)
            self._scale = Scale(lo, hi, bottom, top, width, height)
        return self._scale

    def show_range(self, window: Range, flux: Range) -> None:
        self.setRange(xRange=window, yRange=flux, padding=0.0)

    def _forget(self, *_: object) -> None:
        self._scale = None
        self.scale_changed.emit()
