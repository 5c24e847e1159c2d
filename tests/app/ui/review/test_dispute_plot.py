"""The spectrum of a dispute has the unit of the judging page and can be zoomed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt

from agent.spectra.spectrum import Spectrum
from app.core.report.evidence import KeyLook
from app.ui.review.dispute_plot import DisputePlot
from app.ui.review.small_plot import SmallPlot
from tests.app.ui.steps import let_go, shown_in, turn_wheel

WAVELENGTH = np.linspace(4000.0, 8000.0, 400)
SPECTRUM = Spectrum(
    wavelength=WAVELENGTH,
    flux=3e-16 * (1.0 + WAVELENGTH / 8000.0),
    flux_unit="erg/s/cm2/A",
)
LOOK = KeyLook(label="Hα", range=(6500.0, 6600.0))


@pytest.fixture
def plot(qtbot, context):
    made = shown_in(qtbot, DisputePlot(context.current_theme, "Spectrum"))
    made.show_spectrum(1, SPECTRUM, None)
    return made


def span(plot):
    return tuple(plot.getViewBox().viewRange()[0])


def test_the_axis_has_the_unit_of_the_file(plot):
    axis = plot.getPlotItem().getAxis("left")
    assert "Flux (10⁻¹⁶ erg s⁻¹ cm⁻² Å⁻¹)" in axis.labelText and axis.scale == pytest.approx(1e16)
    plot.show_spectrum(2, replace(SPECTRUM, flux=SPECTRUM.flux * 1e16, flux_unit=""), None)
    assert axis.labelText == "Relative flux" and axis.scale == 1.0


def test_the_wheel_zooms_until_a_double_click_or_another_object(qtbot, plot, context):
    whole = span(plot)
    turn_wheel(plot.viewport(), 3)
    assert span(plot)[1] - span(plot)[0] < 0.9 * (whole[1] - whole[0])
    qtbot.mouseDClick(plot.viewport(), Qt.MouseButton.LeftButton)
    let_go(qtbot)
    assert span(plot) == pytest.approx(whole)
    whole = span(plot)
    turn_wheel(plot.viewport(), 3)
    zoomed = span(plot)
    plot.show_spectrum(1, SPECTRUM, LOOK)
    assert span(plot) == pytest.approx(zoomed)
    plot.show_spectrum(2, replace(SPECTRUM), LOOK)
    assert span(plot) == pytest.approx(whole)


FLAT = Spectrum(wavelength=np.linspace(4000.0, 8000.0, 400), flux=np.ones(400))


def test_each_spectrum_is_reported_once_it_was_painted(qtbot, context):
    plot = SmallPlot(context.current_theme, "Spectrum")
    painted = []
    plot.painted.connect(painted.append)
    plot.show_spectrum(3, FLAT, None)
    assert painted == []
    shown_in(qtbot, plot)
    qtbot.waitUntil(lambda: painted == [3])
    plot.show_spectrum(3, FLAT, None)
    plot.viewport().repaint()
    plot.show_nothing()
    plot.viewport().repaint()
    plot.show_spectrum(4, FLAT, None)
    qtbot.waitUntil(lambda: painted == [3, 4])


def test_the_agents_window_is_drawn_and_no_line_crosses_a_gap(qtbot, context):
    plot = shown_in(qtbot, SmallPlot(context.current_theme, "Spectrum"))
    look = KeyLook(label="Hα", range=(6500.0, 6600.0))
    plot.show_spectrum(1, FLAT, look)
    items = plot.getPlotItem().items
    (region,) = (each for each in items if isinstance(each, pg.LinearRegionItem))
    (name,) = (each for each in items if isinstance(each, pg.TextItem))
    assert region.getRegion() == (6500.0, 6600.0) and name.toPlainText() == "Agent: Hα"
    plot = shown_in(qtbot, SmallPlot(context.current_theme, "Spectrum"))
    wavelength = np.concatenate([np.arange(4000.0, 5000.0), np.arange(6175.0, 7000.0)])
    plot.show_spectrum(1, Spectrum(wavelength=wavelength, flux=np.ones(wavelength.size)), None)
    (curve,) = (each for each in plot.getPlotItem().items if isinstance(each, pg.PlotDataItem))
    x, y = curve.getOriginalDataset()
    inside = (x > 5000.0) & (x < 6175.0)
    assert inside.sum() == 1 and np.isnan(y[inside]).all()
