from __future__ import annotations

import numpy as np
import pytest

from agent.rendering.marks import emptiest_corner, info_lines, thinned
from agent.rendering.published import figure_size
from agent.rendering.scales import flux_scale, tick_steps, wavelength_scale, with_margins
from agent.rendering.window import DrawnPixels


def window(span: float, points: int = 100, *, whole: bool) -> DrawnPixels:
    wavelength = np.linspace(4000.0, 4000.0 + span, points)
    return DrawnPixels(wavelength, np.ones(points), np.ones(points, dtype=bool), whole)


@pytest.mark.parametrize(
    ("span", "size"),
    [
        (3000.5, (10, 6)),
        (3000, (8, 5)),
        (1000.5, (8, 5)),
        (1000, (7, 4.5)),
        (200.5, (7, 4.5)),
        (200, (6, 4)),
        (1, (6, 4)),
    ],
)
def test_size_of_a_whole_spectrum(span: float, size: tuple[float, float]) -> None:
    assert figure_size(window(span, whole=True)) == size


@pytest.mark.parametrize(
    ("span", "size"),
    [
        (49.5, (6, 4)),
        (50, (7, 4.5)),
        (199.5, (7, 4.5)),
        (200, (8, 5)),
        (999.5, (8, 5)),
        (1000, (9, 5.5)),
        (5000, (9, 5.5)),
    ],
)
def test_size_of_a_zoom(span: float, size: tuple[float, float]) -> None:
    assert figure_size(window(span, whole=False)) == size


@pytest.mark.parametrize(
    ("points", "factor"), [(2, 0.95), (49, 0.95), (50, 1.0), (10_000, 1.0), (10_001, 1.05)]
)
@pytest.mark.parametrize("whole", [True, False])
def test_width_follows_the_number_of_points(points: int, factor: float, whole: bool) -> None:
    usual = figure_size(window(2000, whole=whole))
    assert figure_size(window(2000, points, whole=whole)) == (usual[0] * factor, usual[1])


@pytest.mark.parametrize(
    ("span", "steps"),
    [
        *((9000, (1000, 200)), (5000, (1000, 200)), (4999, (200, 50)), (1000, (200, 50))),
        *((999, (100, 20)), (500, (100, 20)), (499, (100, 25)), (300, (100, 25))),
        *((299, (50, 25)), (150, (50, 25)), (149, (25, 5)), (100, (25, 5)), (99, (10, 2))),
        *((50, (10, 2)), (49, (5, 1)), (20, (5, 1)), (19, (2, 0.5)), (5, (2, 0.5))),
        *((4.9, (1, 0.2)), (0.1, (1, 0.2)), (80_000, (10_000, 2000))),
    ],
)
def test_tick_steps_by_span(span: float, steps: tuple[float, float]) -> None:
    assert tick_steps(span) == steps


def test_wavelength_ticks_stand_on_the_steps_inside_the_limits() -> None:
    scale = wavelength_scale(*with_margins(6400.0, 6700.0), span=300.0)
    assert (scale.low, scale.high) == (6385.0, 6715.0)
    assert scale.major == (6400, 6500, 6600, 6700)
    assert scale.labels == ("6400", "6500", "6600", "6700")
    assert scale.minor == tuple(float(at) for at in range(6400, 6701, 25) if at % 100)


def test_flux_ticks_are_round_and_leave_out_a_common_factor() -> None:
    scale = flux_scale(-1.3e-17, 8.9e-17, 9)
    assert scale.offset == "1e−17"
    assert scale.labels == ("0", "2", "4", "6", "8")
    assert np.allclose(np.diff(scale.major), 2e-17, rtol=1e-9)
    assert np.diff(sorted({*scale.minor, *scale.major})).max() < 0.6e-17


def test_no_spread_still_has_limits_around_it() -> None:
    for value in (0.0, 5.0, -3e-17, 1e30):
        low, high = with_margins(value, value)
        assert low < value < high


@pytest.mark.parametrize(
    ("points", "corner"),
    [
        # wavelength, flux: corners of a 0..10 square, drawn so that one quarter is emptiest
        ([(0, 0), (1, 1), (9, 9), (10, 10), (9, 1)], ("top", "left")),
        ([(0, 0), (1, 1), (1, 9), (10, 2), (9, 1), (0, 10)], ("top", "right")),
        ([(0, 10), (1, 9), (9, 9), (10, 10), (9, 1), (10, 0)], ("bottom", "left")),
        ([(0, 10), (1, 9), (9, 9), (10, 10), (0, 0), (1, 1)], ("bottom", "right")),
        ([(0, 0), (10, 10)], ("top", "left")),
        ([(0, 10), (10, 0)], ("top", "right")),
        ([(0, 10), (1, 10), (10, 10), (10, 0)], ("bottom", "left")),
    ],
)
def test_the_box_takes_the_emptiest_corner(
    points: list[tuple[float, float]], corner: tuple[str, str]
) -> None:
    wavelength, flux = np.array(sorted(points), dtype=float).T
    assert emptiest_corner(wavelength, flux) == corner


def test_the_box_tells_points_and_ranges() -> None:
    wavelength = np.array([4000.04, 4001.0, 4002.06])
    shown = DrawnPixels(wavelength, np.array([-2.5334, 1.0, 57.69]), wavelength > 0, whole=True)
    assert info_lines(shown) == (
        "Data points: 3",
        "λ range: 4000.0 - 4002.1 Å",
        "Flux range: -2.53e+00 - 5.77e+01",
    )


def test_thinning_keeps_ends_and_every_extreme() -> None:
    rng = np.random.default_rng(0)
    points = np.column_stack([np.arange(1003.0), rng.normal(size=1003)])
    points[417, 1], points[711, 1] = 50.0, -50.0
    kept = thinned(points, most=100)
    assert 100 <= len(kept) <= 130
    assert (np.diff(kept[:, 0]) > 0).all()
    assert {0.0, 417.0, 711.0} <= set(kept[:, 0])
    assert thinned(points, most=1003) is points
