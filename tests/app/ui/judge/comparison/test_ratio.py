"""The ratio and the difference below the plot."""

from dataclasses import replace

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from app.core.spectra.flux_quantity import PER_FREQUENCY
from app.core.spectra.prefetch import spectrum_key
from app.ui.judge.comparison import ratio
from app.ui.judge.comparison.ratio import DIFFERENCE, OFF, RATIO, against_template, divide
from app.ui.judge.plot.trace import trace
from tests.app.ui.judge.comparison.conftest import overlay
from tests.app.ui.judge.plot.conftest import on_to
from tests.app.ui.late_answer import LateAnswer

PIXELS = np.linspace(4000.0, 8000.0, 2000)


def made(pixels, factor, line=0.0):
    flux = factor * (2.0 + pixels / 4000.0)
    flux = flux * (1.0 + line * np.exp(-0.5 * ((pixels - 6563.0) / 10.0) ** 2))
    return Spectrum(wavelength=pixels, flux=flux)


def test_what_differs_stands_out_in_the_unit_of_the_axis():
    one, other = made(PIXELS, 1.0, line=0.5), made(np.linspace(4100.0, 7900.0, 5000), 7.0)
    for mode, level, peak in ((RATIO, 1.0, 1.5), (DIFFERENCE, 0.0, 0.5 * 3.64)):
        found = divide(one, other, mode, trace(one), "other")
        beside = np.abs(found.wavelength - 6563.0) > 60.0
        assert found.values[beside][100:-100] == pytest.approx(level, abs=0.01)
        assert np.nanmax(found.values) == pytest.approx(peak, rel=0.02)
        assert np.isnan(found.values[found.wavelength < 4099.0]).all()
    unit = "1e-17 erg/s/cm2/Å"
    one, other = (replace(made(PIXELS, 1.0, line), flux_unit=unit) for line in (0.5, 0.0))
    shown = trace(one, quantity=PER_FREQUENCY)
    assert shown.conversion is not None
    found = divide(one, other, DIFFERENCE, shown, "other")
    its = trace(other, quantity=PER_FREQUENCY)
    expected = shown.flux - its.flux * its.unit / shown.unit
    line = np.abs(found.wavelength - 6563.0) < 20.0
    assert found.values[line] == pytest.approx(expected[line], abs=0.02 * np.nanmax(expected))
    one = made(PIXELS, 1.0)
    model = np.log10(2.0 * one.flux)
    found = against_template(trace(one, is_log=True), PIXELS, model, RATIO, "G2V")
    assert found.values == pytest.approx(0.5)


def test_the_ratio_of_the_object_before_goes_with_it(qtbot, page, context, monkeypatch):
    overlay(qtbot, page, context)
    page.comparison.keep(True)
    page.ratio.set_mode(RATIO)
    qtbot.waitUntil(lambda: page.ratio.divided is not None)
    current = context.current
    following = spectrum_key(current.session.candidate(3))
    qtbot.waitUntil(lambda: current.prefetch.peek(following) is not None)
    late = LateAnswer(monkeypatch, ratio, "divide")
    current.go_to(3)
    assert page.ratio.divided is None
    late.arrive(qtbot, context.runner)
    assert page.ratio.divided is not None


def test_it_is_hidden_until_chosen_follows_the_window_and_lines_up_with_the_plot(
    qtbot, page, context
):
    overlay(qtbot, page, context)
    assert page.ratio.isHidden() and page.ratio.divided is None
    page.ratio.set_mode(RATIO)
    qtbot.waitUntil(lambda: page.ratio.divided is not None)
    assert page.ratio.isVisible() and page.ratio.level.level == 1.0
    assert np.nanmedian(page.ratio.divided.values) == pytest.approx(1.0, abs=0.3)
    page.ratio.set_mode(OFF)
    assert page.ratio.isHidden()
    page.ratio.set_mode(DIFFERENCE)
    qtbot.waitUntil(lambda: page.ratio.divided is not None)
    context.view.set_window((6400.0, 6700.0))
    assert page.ratio.box.ranges[0] == pytest.approx((6400.0, 6700.0))
    stage = page.plot.plot.stage

    def aligned():
        above = page.plot.plot.mapTo(page, page.plot.plot.mapFromScene(stage.scenePos())).x()
        box = page.ratio.box
        below = page.ratio.mapTo(page, page.ratio.mapFromScene(box.scenePos())).x()
        return abs(above - below) <= 1 and abs(box.width() - stage.width()) <= 1.0

    qtbot.waitUntil(aligned)


def test_the_template_is_compared_where_nothing_is_overlaid_and_it_comes_again(
    qtbot, page, context, session
):
    page.ratio.set_mode(RATIO)
    assert "Overlay a spectrum" in page.ratio.level.text
    context.commands.run("template")
    qtbot.waitUntil(lambda: page.ratio.divided is not None)
    assert "simulated" in page.ratio.level.text
    context.commands.run("template")
    qtbot.waitUntil(lambda: page.ratio.divided is None)
    page.comparison.keep(True)
    page.comparison.add(session.candidate(6))
    qtbot.waitUntil(lambda: len(page.comparison.compared) == 1)
    page.ratio.set_mode(RATIO)
    qtbot.waitUntil(lambda: page.ratio.divided is not None)
    here = page.ratio.divided.wavelength
    for number in (3, 2):
        on_to(qtbot, context, number)
    qtbot.waitUntil(lambda: page.ratio.divided is not None)
    qtbot.waitUntil(lambda: np.array_equal(page.ratio.divided.wavelength, here))
    page.ratio.set_mode(OFF)
    page.ratio.set_mode(RATIO)
    qtbot.waitUntil(lambda: page.ratio.curve.flux.size > 0)
