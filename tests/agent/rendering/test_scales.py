"""Axis limits, ticks and labels."""

from __future__ import annotations

import numpy as np
import pytest

from agent.rendering.scales import flux_scale, tick_steps, wavelength_scale, with_margins


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
