from __future__ import annotations

import numpy as np
import pytest

from agent.rendering.published import figure_size
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
