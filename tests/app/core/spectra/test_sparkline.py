"""A spectrum as a small line: few points, good pixels only, in the unit square."""

from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from app.core.spectra.sparkline import POINTS, sparkline


def spectrum(flux, **more):
    return Spectrum(wavelength=np.linspace(4000.0, 9000.0, len(flux)), flux=flux, **more)


@pytest.mark.parametrize("pixels", [2, 50, 200, 3900])
def test_few_points_from_left_to_right(pixels):
    points = sparkline(spectrum(np.linspace(1.0, 2.0, pixels)))
    assert 2 <= len(points) <= min(pixels, POINTS)
    assert (np.diff(points[:, 0]) > 0).all()
    assert (np.diff(points[:, 1]) >= 0).all()
    assert points[0, 1] == 0.0
    assert points[-1, 1] == 1.0


def test_bad_pixels_leave_no_trace():
    flux = np.ones(4000)
    flux[1000] = 1e9
    flux[2000] = np.nan
    mask = np.zeros(4000, dtype=bool)
    mask[1000] = True
    assert (sparkline(spectrum(flux, mask=mask))[:, 1] == 0.5).all()
    assert len(sparkline(spectrum(np.full(100, np.nan)))) == 0


def test_an_emission_line_stands_out():
    flux = np.ones(4000)
    flux[1990:2050] = 3.0
    points = sparkline(spectrum(flux))
    assert abs(points[np.argmax(points[:, 1]), 0] - 0.5) < 0.02
