"""The plot: reported once when painted, in the colours of the theme, without leaks."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest

from app.ui.plot.canvas.thinning import pieces
from app.ui.plot.plot_view import raw_underlay
from app.ui.plot.trace import trace
from app.ui.theme.theme import THEMES
from tests.app.ui.plot.spectra import spectrum
from tests.app.ui.plot.steps import on_to


def test_each_spectrum_is_told_once(qtbot, context, panel):
    told = []
    panel.plot.painted.connect(told.append)
    on_to(qtbot, context, 3)
    panel.plot.viewport().repaint()
    context.view.change_smoothing(1)
    panel.plot.viewport().repaint()
    assert told == [3]


@pytest.mark.parametrize("name", THEMES)
def test_every_theme_paints_its_own_background(qtbot, context, panel, name):
    context.current_theme.use(THEMES[name])
    image = panel.plot.grab().toImage()
    where = panel.plot.stage.geometry().topLeft().toPoint()
    assert image.pixelColor(where.x() - 40, 2).name() == THEMES[name].plot


def test_painting_takes_no_reference_to_none_away(context, panel):
    """Some versions of PySide lose a reference to None in each painter call, and then crash."""

    def paint(times):
        for _ in range(times):
            panel.plot.viewport().repaint()
            panel.overview.apply_theme(context.current_theme.theme)
            panel.overview.repaint()

    paint(100)
    gc.collect()
    before = sys.getrefcount(None)
    paint(200)
    assert sys.getrefcount(None) - before > -100


def test_every_object_is_drawn_with_the_same_items(qtbot, context, panel):
    items = len(panel.plot.scene().items())
    for number in (2, 3, 4):
        context.current.go_to(number)
        qtbot.waitUntil(lambda: context.current.is_painted)
    assert len(panel.plot.scene().items()) == items


def with_bad(start, stop, **changes):
    mask = np.zeros(3000, dtype=bool)
    mask[start:stop] = True
    return spectrum(mask=mask, **changes)


def test_bad_pixels_with_a_flux_are_drawn_behind_with_their_neighbours():
    drawn = trace(with_bad(1000, 1010))
    wavelength, behind = raw_underlay(drawn)
    assert wavelength[np.isfinite(behind)].tolist() == drawn.wavelength[999:1011].tolist()


def test_two_stretches_of_bad_pixels_are_not_joined():
    mask = np.isin(np.arange(3000), (1000, 1003, 2000))
    _, behind = raw_underlay(trace(spectrum(mask=mask)))
    assert [part.stop - part.start for part in pieces(behind)] == [6, 3]
    assert raw_underlay(trace(spectrum()))[0].size == 0
