"""Numbers and titles of the axes lie neither over one another nor outside the plot."""

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF

from agent.spectra.lines import builtin_lines
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.base.theme.theme import LIGHT
from app.ui.judge.plot.canvas.axes import log_ticks, tick_texts, ticks
from app.ui.judge.plot.plot_view import PlotView
from tests.app.ui.steps import shown_in

TITLES = "Wavelength (Å, vacuum)", "Flux (10⁻¹⁷ erg s⁻¹ cm⁻² Å⁻¹)"
CHINESE = (
    "波长\N{FULLWIDTH LEFT PARENTHESIS}Å\N{FULLWIDTH COMMA}真空\N{FULLWIDTH RIGHT PARENTHESIS}"
)
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
        rects = [place for place, _ in axis.content.numbers]
        yield [axis.mapRectToScene(each) for each in (*rects, axis.content.title_place)]


def test_texts_of_the_axes_have_room_and_are_shown_where_there_is_some(plot):
    for size in [(900, 400), (1800, 800), (500, 150), (240, 110)]:
        for is_log in [False, True]:
            plot.resize(*size)
            inside = QRectF(plot.rect())
            for frame, (window, flux) in product(FRAMES, RANGES):
                plot.show_axes(*TITLES, frame)
                plot.flux_axis.is_log = is_log
                plot.stage.show_range(window, flux if not is_log else (-3.0, 2.5))
                plot.grab()
                for rects in places(plot):
                    for one, other in combinations(rects, 2):
                        shared = one & other
                        assert shared.width() < 1.0 or shared.height() < 1.0, (frame, window)
                    for rect in rects:
                        assert rect.isEmpty() or inside.contains(rect), (rect, window)
    plot.show_axes(*TITLES, WavelengthFrame())
    plot.resize(1800, 800)
    plot.stage.show_range((3700.0, 9100.0), (0.0, 30.0))
    plot.grab()
    numbers = [text for _, text in plot.wavelength_axis.content.numbers]
    second = "4500" if plot.font().pointSize() == 10 else "5000"
    assert numbers[:2] == ["4000", second]
    assert numbers == [text for _, text in plot.wavelength_axis.content.marks]  # the last one, too
    assert len(plot.flux_axis.content.numbers) > 3
    assert [axis.shown_title(800.0) for axis in (plot.wavelength_axis, plot.flux_axis)] == [*TITLES]
    assert plot.flux_axis.shown_title(300.0) in (TITLES[1], "Flux")
    assert plot.flux_axis.shown_title(10.0) == ""
    assert not plot.flux_axis.content.title_place.isEmpty()


def test_a_low_axis_has_two_numbers(qtbot):
    # As that of the ratio below the plot.
    for flux in [(0.1, 2.3), (0.55, 1.7), (-0.4, 0.9), (96.0, 131.0)]:
        plot = shown_in(qtbot, PlotView(LIGHT), 900, 125)
        plot.show_axes(*TITLES, FRAMES[0])
        plot.stage.show_range((3700.0, 9100.0), flux)
        plot.grab()
        assert plot.flux_axis.length < 2 * plot.flux_axis.apart_px
        assert len(plot.flux_axis.content.numbers) >= 2


def test_ticks_are_round_numbers_or_none():
    for lo, hi, most, texts in [
        (3700, 9100, 6, ("4000", "5000", "6000", "7000", "8000", "9000")),
        (6450, 6750, 7, ("6450", "6500", "6550", "6600", "6650", "6700", "6750")),
        (-0.26, 0.51, 4, ("\N{MINUS SIGN}0.2", "0.0", "0.2", "0.4")),
        (1.2001, 1.2009, 4, ("1.20025", "1.20050", "1.20075")),
        (1.2004, 1.20085, 1, ("1.2005",)),
    ]:
        assert tick_texts(ticks(lo, hi, most)) == texts
    assert ticks(1.0, 1.0, 5) == ticks(float("nan"), 2.0, 5) == tick_texts(()) == ()
    assert log_ticks(-400.0, 3.0, 5) == log_ticks(1.0, 1.0, 5) == log_ticks(0.0, 1e9, 5) == ()
    for lo, hi, most, texts in [
        (0.0, 3.0, 6, ("1", "10", "100", "1000")),
        (0.0, 3.0, 12, ("1", "2", "5", "10", "20", "50", "100", "200", "500", "1000")),
        (-2.0, 0.0, 5, ("0.01", "0.03", "0.1", "0.3", "1")),
        (0.1, 0.5, 5, ("1.5", "2.0", "2.5", "3.0")),
        (0.0, 40.0, 9, ("1", "1e10", "1e20", "1e30", "1e40")),
    ]:
        found = log_ticks(lo, hi, most)
        assert tuple(text for _, text in found) == texts
        assert [10.0**at for at, _ in found] == pytest.approx([float(text) for text in texts])


@given(st.floats(-1e5, 1e5), st.floats(1e-4, 1e9), st.integers(2, 20))
def test_never_more_than_asked_for_and_inside(lo, span, most):
    hi = lo + span
    found = ticks(lo, hi, most)
    assert len(found) <= most + 1
    assert all(lo - 1e-6 * span <= each <= hi + 1e-6 * span for each in found)


@pytest.mark.parametrize("title", [TITLES[0], CHINESE])
def test_no_number_gives_way_to_the_title(plot, title):
    """Where the whole title has no room between two of them, its unit has."""
    plot.show_axes(title, TITLES[1], WavelengthFrame())
    for width in range(680, 1500, 90):
        plot.resize(width, 400)
        for window in [(5680.0, 6080.0), (3700.0, 9250.0), (6400.0, 6800.0), (3000.0, 10500.0)]:
            plot.stage.show_range(window, (0.0, 30.0))
            plot.grab()
            axis = plot.wavelength_axis
            assert len(axis.content.numbers) == len(axis.content.marks) >= 2, (width, window)
            assert "Å" in axis.content.title
