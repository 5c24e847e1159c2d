"""Templates are scaled to the spectrum, and drawn over it."""

import numpy as np
import pytest

from agent.errors import ReadError
from tests.app.ui.judge.plot.conftest import on_to

GRID = np.linspace(3000, 10000, 900)


def level(name):
    if name == "none":
        raise ReadError("there is no template none")
    return GRID, np.full(900, 1e-17)


def test_a_template_is_laid_over_scaled_and_by_hand(qtbot, context, panel):
    panel.template.set_source(level)
    context.view.change(template="G2V")
    qtbot.waitUntil(panel.plot.template.isVisible)
    median = np.nanmedian(panel.plot.trace.flux)
    assert np.median(panel.plot.template.flux) == pytest.approx(median, rel=0.3)
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
    return GRID, 1e-17 * (GRID / 5000.0) ** -2.0 * (1.0 + 0.1 * line)


@pytest.mark.parametrize("flux", ["file", "per_frequency", "normalised"])
def test_the_curve_that_is_ranked_is_drawn_on_any_axis(qtbot, context, panel, flux):
    panel.template.set_source(sloped)
    context.view.change(template="G2V", flux=flux, flux_log=False)
    drawn, plot = panel.plot.template, panel.plot
    qtbot.waitUntil(lambda: plot.trace.quantity == flux and drawn.isVisible())
    wavelength, levels = panel.template.curve
    ratio = plot.trace.flux / np.interp(plot.trace.wavelength, wavelength, levels)
    parts = [np.nanmedian(part) for part in np.array_split(ratio, 8)]
    assert parts == pytest.approx([1.0] * 8, rel=0.08)  # the slope of the template is taken away
    context.view.change(flux_log=True)
    assert panel.template.curve[1] == pytest.approx(np.log10(levels), abs=1e-3)
