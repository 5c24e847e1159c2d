"""The small plot of a dispute."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg

from agent.spectra.spectrum import Spectrum
from app.core.report.evidence import KeyLook
from app.ui.review.small_plot import SmallPlot
from tests.app.ui.steps import shown_in

SPECTRUM = Spectrum(wavelength=np.linspace(4000.0, 8000.0, 400), flux=np.ones(400))


def test_each_spectrum_is_reported_once_it_was_painted(qtbot, context):
    plot = SmallPlot(context.current_theme, "Spectrum")
    painted = []
    plot.painted.connect(painted.append)
    plot.show_spectrum(3, SPECTRUM, None)
    assert painted == []
    shown_in(qtbot, plot)
    qtbot.waitUntil(lambda: painted == [3])
    plot.show_spectrum(3, SPECTRUM, None)
    plot.viewport().repaint()
    plot.show_nothing()
    plot.viewport().repaint()
    plot.show_spectrum(4, SPECTRUM, None)
    qtbot.waitUntil(lambda: painted == [3, 4])


def test_the_agents_window_is_drawn_with_its_name(qtbot, context):
    plot = shown_in(qtbot, SmallPlot(context.current_theme, "Spectrum"))
    look = KeyLook(label="Hα", range=(6500.0, 6600.0))
    plot.show_spectrum(1, SPECTRUM, look)
    items = plot.getPlotItem().items
    (region,) = (each for each in items if isinstance(each, pg.LinearRegionItem))
    (name,) = (each for each in items if isinstance(each, pg.TextItem))
    assert region.getRegion() == (6500.0, 6600.0) and name.toPlainText() == "Agent: Hα"


def test_no_line_crosses_a_gap(qtbot, context):
    plot = shown_in(qtbot, SmallPlot(context.current_theme, "Spectrum"))
    wavelength = np.concatenate([np.arange(4000.0, 5000.0), np.arange(6175.0, 7000.0)])
    plot.show_spectrum(1, Spectrum(wavelength=wavelength, flux=np.ones(wavelength.size)), None)
    (curve,) = (each for each in plot.getPlotItem().items if isinstance(each, pg.PlotDataItem))
    x, y = curve.getOriginalDataset()
    inside = (x > 5000.0) & (x < 6175.0)
    assert inside.sum() == 1 and np.isnan(y[inside]).all()
