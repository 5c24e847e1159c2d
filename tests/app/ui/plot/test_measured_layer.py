"""The label of a hand measurement: on its own background, where the line is not."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QColor

from app.core.session.measurements import HandMeasurement
from app.ui.plot.measured_layer import width_text
from app.ui.plot.plot_view import PlotView
from app.ui.plot.trace import trace
from app.ui.theme.theme import LIGHT
from tests.app.ui.plot.spectra import spectrum

WINDOW = (6400.0, 6730.0)


@pytest.fixture
def plot(qtbot):
    made = PlotView(LIGHT)
    qtbot.addWidget(made)
    made.resize(900, 500)
    made.show()
    qtbot.waitExposed(made)
    yield made


def measured(ew):
    return HandMeasurement(line="Hα", ew=ew, left=(6500.0, 1.0), right=(6630.0, 1.0))


def label_rows(plot, drawn, ew):
    """First and last row with the label's colour in the label's columns, from the stage's top."""
    plot.show_trace(drawn)
    plot.show_range(WINDOW, autoscale=True)
    plot.show_flux(-0.5, 3.5)
    plot.measured.shown = [measured(ew)]
    image = plot.grab().toImage()
    stage, scale = plot.stage.geometry(), plot.stage.scale_now
    middle = round(stage.left() + scale.x(6565.0))
    half = int(plot.texts.width(width_text(measured(ew))) / 2)
    accent = QColor(LIGHT.accent)
    line = stage.top() + scale.y(1.0)
    rows = [
        y
        for y in range(round(stage.top()) + 2, round(stage.bottom()) - 2)
        if abs(y - line) > 6
        for x in range(middle - half, middle + half)
        if _is_near(image.pixelColor(x, y), accent)
    ]
    return min(rows), max(rows), line


def _is_near(colour, other):
    pairs = zip(colour.getRgb()[:3], other.getRgb()[:3], strict=True)
    return all(abs(one - two) < 12 for one, two in pairs)


@pytest.mark.parametrize(("ew", "peak"), [(-20.0, 2.0), (10.0, -0.8)])
def test_it_stands_beyond_the_continuum_on_the_other_side(plot, ew, peak):
    first, last, line = label_rows(plot, trace(spectrum(peak=peak, noise=0.02)), ew)
    assert first > line if ew < 0 else last < line
    assert last - first < plot.texts.height


def test_it_leaves_the_curve_free(plot):
    drawn = trace(spectrum(peak=2.0, noise=0.05))
    first, _, _ = label_rows(plot, drawn, -20.0)
    near = np.abs(drawn.wavelength - 6565.0) < 15.0
    lowest = plot.stage.scale_now.y(float(np.nanmin(drawn.flux[near])))
    assert first >= plot.stage.geometry().top() + lowest


def test_the_narrowest_one_around_a_wavelength_is_found(plot):
    wide = measured(1.0)
    narrow = HandMeasurement(line="He I", ew=1.0, left=(6520.0, 1.0), right=(6560.0, 1.0))
    plot.measured.shown = [narrow, wide]
    assert plot.measured.at(6540.0) is narrow
    assert plot.measured.at(6600.0) is wide
    assert plot.measured.at(6700.0) is None
