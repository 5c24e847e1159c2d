"""Numbers and titles of the axes lie neither over one another nor outside the plot."""

from __future__ import annotations

from itertools import combinations

import pytest
from PySide6.QtCore import QRectF

from agent.spectra.lines import builtin_lines
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.plot.plot_view import PlotView
from app.ui.theme.theme import LIGHT
from tests.app.ui.steps import shown_in

TITLES = "Wavelength (Å, vacuum)", "Flux (10⁻¹⁷ erg s⁻¹ cm⁻² Å⁻¹)"
FRAMES = (
    WavelengthFrame(),
    WavelengthFrame(unit="nm", is_rest=True, z=0.3),
    WavelengthFrame(line=builtin_lines()["H_alpha"]),
)
RANGES = [
    ((3700.0, 9100.0), (-3.0, 27.0)),
    ((6500.0, 6620.0), (-9999.0, 9999.0)),
    ((6562.2, 6563.1), (0.98, 1.02)),
    ((3700.0, 250_000.0), (1.00012, 1.00019)),
]


@pytest.fixture(params=[10, 24])
def plot(qtbot, request):
    made = PlotView(LIGHT)
    font = made.font()
    font.setPointSize(request.param)
    made.setFont(font)
    return shown_in(qtbot, made, 900, 400)


def places(plot):
    """Rectangles of all texts of both axes, in the scene."""
    for axis in (plot.wavelength_axis, plot.flux_axis):
        rects = [place for place, _ in axis.numbers]
        yield [axis.mapRectToScene(each) for each in (*rects, axis.title_place)]


@pytest.mark.parametrize("is_log", [False, True])
@pytest.mark.parametrize("size", [(900, 400), (1800, 800), (500, 150), (240, 110)])
def test_texts_of_the_axes_have_room(plot, size, is_log):
    plot.resize(*size)
    for frame in FRAMES:
        for window, flux in RANGES:
            plot.show_axes(*TITLES, frame)
            plot.flux_axis.is_log = is_log
            plot.stage.show_range(window, flux if not is_log else (-3.0, 2.5))
            plot.grab()
            for rects in places(plot):
                for one, other in combinations(rects, 2):
                    shared = one & other
                    assert shared.width() < 1.0 or shared.height() < 1.0, (frame, window)
                for rect in rects:
                    assert rect.isEmpty() or QRectF(plot.rect()).contains(rect), (rect, window)


def test_numbers_and_titles_are_shown_where_there_is_room(plot):
    plot.show_axes(*TITLES, WavelengthFrame())
    plot.resize(1800, 800)
    plot.stage.show_range((3700.0, 9100.0), (0.0, 30.0))
    plot.grab()
    assert [text for _, text in plot.wavelength_axis.numbers][:3] == ["4000", "4500", "5000"]
    assert len(plot.flux_axis.numbers) > 3
    assert [axis.shown_title(800.0) for axis in (plot.wavelength_axis, plot.flux_axis)] == [*TITLES]
    assert plot.flux_axis.shown_title(300.0) in (TITLES[1], "Flux")
    assert plot.flux_axis.shown_title(10.0) == ""
    assert not plot.flux_axis.title_place.isEmpty()


@pytest.mark.parametrize("flux", [(0.1, 2.3), (0.55, 1.7), (-0.4, 0.9), (96.0, 131.0)])
def test_a_low_axis_has_two_numbers(qtbot, flux):
    """As that of the ratio below the plot."""
    plot = shown_in(qtbot, PlotView(LIGHT), 900, 125)
    plot.show_axes(*TITLES, FRAMES[0])
    plot.stage.show_range((3700.0, 9100.0), flux)
    plot.grab()
    assert plot.flux_axis.length < 2 * plot.flux_axis.apart_px
    assert len(plot.flux_axis.numbers) >= 2
