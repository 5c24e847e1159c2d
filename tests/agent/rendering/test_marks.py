"""Thinned curves, tick positions and the info box."""

from __future__ import annotations

import numpy as np
import pytest

from agent.rendering.marks import emptiest_corner, info_lines, thinned
from agent.rendering.window import DrawnPixels


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
