"""A small plot of one diagnostic window, drawn like the large one but without axes."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from agent.spectra.spectrum import FloatArray, Window
from app.ui.plot.axes.flux_range import flux_range
from app.ui.plot.canvas.plot_box import PlotBox, prepare_view
from app.ui.plot.trace import Trace
from app.ui.theme.theme import Theme

NOTHING: FloatArray = np.empty(0)


class WindowPlot(pg.GraphicsView):  # type: ignore[misc]
    """Takes no mouse and no focus: its cell does.

    A view box alone: a `PlotWidget` makes four axes and a menu, which all would be hidden.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        prepare_view(self)
        self.box = PlotBox()
        self.setCentralItem(self.box)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(self.Shape.NoFrame)
        self.raw = pg.PlotCurveItem(connect="finite")
        self.marks = pg.PlotCurveItem(connect="pairs")
        self.template = pg.PlotCurveItem(connect="finite")
        self.flux = pg.PlotCurveItem(connect="finite")
        for curve in (self.marks, self.raw, self.template, self.flux):
            self.box.addItem(curve)
        self.apply_theme(theme)

    def apply_theme(self, theme: Theme) -> None:
        self.setBackground(theme.plot)
        for curve, colour in (
            (self.raw, theme.error_band),
            (self.marks, theme.border),
            (self.template, theme.accent),
            (self.flux, theme.flux),
        ):
            curve.setPen(pg.mkPen(colour, width=1))

    def show_template(self, wavelength: FloatArray, flux: FloatArray) -> None:
        self.template.setData(wavelength, flux)

    def show_window(
        self, drawn: Trace | None, window: Window, marks: FloatArray, from_zero: bool = False
    ) -> None:
        """Show a part of a spectrum, with vertical lines at the wavelengths `marks`."""
        if drawn is None:
            for curve in (self.raw, self.flux, self.marks):
                curve.setData(NOTHING, NOTHING)
            return
        inside = slice(*drawn.wavelength.searchsorted(window).tolist())
        wavelength = drawn.wavelength[inside]
        if drawn.is_smoothed:
            self.raw.setData(wavelength, drawn.on_axis(drawn.raw[inside]))
        else:
            self.raw.setData(NOTHING, NOTHING)
        self.flux.setData(wavelength, drawn.on_axis(drawn.flux[inside]))
        bottom, top = flux_range(drawn, window, from_zero)
        self.marks.setData(np.repeat(marks, 2), np.tile([bottom, top], marks.size))
        self.box.show_range(window, (bottom, top))
