"""Compared spectra are drawn at the same median, with a legend that hides and removes them."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.ui.base.theme.theme import DARK
from app.ui.judge.comparison.compared_spectra import same_median, text_of
from app.ui.judge.plot import spectrum_panel
from app.ui.judge.plot.trace import trace
from tests.app.ui.judge.comparison.conftest import overlay
from tests.app.ui.judge.plot.spectra import spectrum


def medians(page, window):
    curves = [page.plot.plot.curve, *page.overlays._curves.values()]
    inside = [
        each.flux[(each.wavelength >= window[0]) & (each.wavelength <= window[1])]
        for each in curves
    ]
    return [float(np.nanmedian(each)) if each.size else 0.0 for each in inside]


def test_they_are_there_when_they_were_ready_before_the_spectrum(qtbot, page, context, monkeypatch):
    overlay(qtbot, page, context)
    show_made, held = page.plot._show_made, []
    monkeypatch.setattr(spectrum_panel, "takes_long", lambda *_: True)
    monkeypatch.setattr(page.plot, "_show_made", lambda *made: held.append(made))
    context.view.change(flux="normalised")
    qtbot.waitUntil(lambda: bool(held) and len(page.overlays._traces) == 2)
    show_made(*held[0])
    assert medians(page, (6000.0, 9000.0)) == pytest.approx([1.0] * 3, abs=0.1)


def test_they_have_the_median_of_the_window_and_the_axis_and_look_of_the_plot(page, qtbot, context):
    assert page.overlays.legend is None and not page.overlays._curves
    overlay(qtbot, page, context)
    first, *others = medians(page, (4000.0, 9000.0))
    assert len(others) == 2 and others == pytest.approx([first] * 2, rel=0.15)
    context.view.set_window((6400.0, 6700.0))
    first, *others = medians(page, (6400.0, 6700.0))
    assert others == pytest.approx([first] * 2, rel=2e-3)
    before = medians(page, (4000.0, 9000.0))
    context.view.change(flux_log=True)
    assert medians(page, (4000.0, 9000.0)) == pytest.approx(np.log10(before), abs=0.02)
    context.view.change(flux_log=False, flux="normalised")
    qtbot.waitUntil(lambda: page.plot.plot.trace.quantity == "normalised")
    qtbot.waitUntil(lambda: medians(page, (6000.0, 9000.0)) == pytest.approx([1.0] * 3, abs=0.1))
    curve = page.overlays._curves[0]
    rough = np.nanstd(np.diff(curve.flux))
    context.view.change(smoothing=4)
    assert np.nanstd(np.diff(curve.flux)) < 0.7 * rough
    context.current_theme.use(DARK)
    assert curve.theme is DARK and page.overlays.legend.theme is DARK


def test_a_click_in_the_legend_hides_and_its_cross_removes(qtbot, page, context):
    overlay(qtbot, page, context)
    legend, plot = page.overlays.legend, page.plot.plot
    qtbot.waitUntil(lambda: len(legend.compared) == 2)
    name = text_of(legend.compared[0])
    assert name.startswith(legend.compared[0].candidate.name)

    def click(rect):
        at = plot.mapFromScene(legend.mapToScene(rect.center()))
        qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=at)

    window = page.plot.window_now
    click(legend.row_rect(0))
    assert [each.is_shown for each in page.comparison.compared] == [False, True]
    slot = page.comparison.compared[0].slot
    assert not page.overlays._curves[slot].flux.size
    click(legend.row_rect(0))
    assert page.overlays._curves[slot].flux.size
    click(legend.cross_rect(1))
    assert len(page.comparison.compared) == 1 and page.plot.window_now == window


def test_medians_where_they_meet():
    one, other = trace(spectrum()), trace(spectrum())
    assert same_median(one, other, None) == pytest.approx(1.0)
    assert same_median(one, other, (1.0, 2.0)) == pytest.approx(1.0)
