"""Templates are scaled to the spectrum, and drawn over it."""

from __future__ import annotations

import numpy as np
import pytest

from agent.errors import ReadError
from app.ui.judge.plot.template_overlay import scale_template
from app.ui.judge.plot.trace import trace
from tests.app.ui.judge.plot.conftest import on_to
from tests.app.ui.judge.plot.spectra import spectrum

GRID = np.linspace(3000, 10000, 900)


def test_the_factor_is_that_of_the_continuum_where_there_is_one():
    drawn = trace(spectrum(peak=80.0))
    wavelength, flux = scale_template(drawn, GRID, np.full(900, 1e-17), 0.01)
    assert flux[0] == pytest.approx(1.0, rel=0.02) and wavelength[0] == pytest.approx(3030.0)
    for grid, flux in [
        (GRID + 90_000, np.ones(900)),
        (GRID, np.full(900, np.nan)),
        (GRID, np.zeros(900)),
        (GRID, -np.ones(900)),
    ]:
        assert scale_template(trace(spectrum()), grid, flux, 0.0) is None


def level(name):
    if name == "none":
        raise ReadError("there is no template none")
    return GRID, np.full(900, 1e-17)


def test_a_template_is_laid_over_scaled_and_by_hand(qtbot, context, panel):
    panel.template.set_source(level)
    context.view.change(template="G2V")
    qtbot.waitUntil(panel.plot.template.isVisible)
    median = np.nanmedian(panel.plot.trace.flux)
    assert panel.plot.template.flux[0] == pytest.approx(median, rel=0.3)
    assert "Template: G2V" in panel.header.note.text()
    first = panel.plot.template.flux[0]
    on_to(qtbot, context, 3)
    assert panel.plot.template.isVisible() and panel.plot.template.flux[0] != first
    context.view.change(template="")
    assert not panel.plot.template.isVisible()
    with qtbot.waitSignal(context.current.failed) as signal:
        context.view.change(template="none")
    assert "no template none" in signal.args[0]
    context.view.change(template="G2V")
    qtbot.waitUntil(panel.plot.template.isVisible)
    automatic = panel.plot.template.flux[0]
    context.view.change(template_scale=2.0)
    assert panel.plot.template.flux[0] == pytest.approx(2.0 * automatic)
    context.commands.run("reset")
    assert context.view.options.template_scale == 1.0


def sloped(name):
    """Falls with the wavelength, with one line."""
    line = np.exp(-0.5 * ((GRID - 6564.6) / 20.0) ** 2)
    return GRID, 1e-17 * (GRID / 5000.0) ** -2.0 * (1.0 + 2.0 * line)


def test_a_template_follows_the_quantity_of_the_axis(qtbot, context, panel):
    panel.template.set_source(sloped)
    context.view.change(template="G2V", flux="per_frequency")
    qtbot.waitUntil(panel.plot.template.isVisible)
    flux = panel.plot.template.flux
    assert flux[0] == pytest.approx(flux[-1], rel=1e-6)  # λ² times a slope of λ⁻² is level
    context.view.change(flux="normalised")
    drawn, inner = panel.plot.template, slice(20, -20)
    qtbot.waitUntil(lambda: panel.plot.trace.quantity == "normalised" and drawn.isVisible())
    qtbot.waitUntil(lambda: np.ptp(np.percentile(drawn.flux[inner], [10, 90])) < 0.05)
    context.view.change(flux_log=True)
    assert np.median(drawn.flux[inner]) == pytest.approx(0.0, abs=0.2)
