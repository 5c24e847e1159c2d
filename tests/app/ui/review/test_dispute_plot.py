"""The spectrum of a dispute has the unit of the judging page and can be zoomed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from agent.spectra.spectrum import Spectrum
from app.core.report.evidence import KeyLook
from app.ui.review.dispute_plot import DisputePlot
from tests.app.ui.steps import let_go, shown_in

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


def wheel(plot, steps=3):
    at = QPointF(plot.viewport().rect().center())
    event = QWheelEvent(
        at, plot.viewport().mapToGlobal(at), QPoint(), QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase,
        False,
    )  # fmt: skip
    QApplication.sendEvent(plot.viewport(), event)


def test_the_axis_has_the_unit_of_the_file(plot):
    axis = plot.getPlotItem().getAxis("left")
    assert "Flux (10⁻¹⁶ erg s⁻¹ cm⁻² Å⁻¹)" in axis.labelText
    assert axis.scale == pytest.approx(1e16)
    plot.show_spectrum(2, replace(SPECTRUM, flux=SPECTRUM.flux * 1e16, flux_unit=""), None)
    assert axis.labelText == "Relative flux" and axis.scale == 1.0


def test_the_wheel_zooms_and_a_double_click_shows_all(qtbot, plot):
    whole = span(plot)
    wheel(plot)
    assert span(plot)[1] - span(plot)[0] < 0.9 * (whole[1] - whole[0])
    qtbot.mouseDClick(plot.viewport(), Qt.MouseButton.LeftButton)
    let_go(qtbot)
    assert span(plot) == pytest.approx(whole)


def test_a_zoom_stays_when_opinions_come_and_ends_with_the_object(plot, context):
    whole = span(plot)
    wheel(plot)
    zoomed = span(plot)
    plot.show_spectrum(1, SPECTRUM, LOOK)
    assert span(plot) == pytest.approx(zoomed)
    plot.show_spectrum(2, replace(SPECTRUM), LOOK)
    assert span(plot) == pytest.approx(whole)
