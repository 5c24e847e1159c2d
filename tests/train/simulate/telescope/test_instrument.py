from __future__ import annotations

import numpy as np
import pytest

from train.simulate.telescope.instrument import chebyshev, instrument_of, pixels_between
from train.simulate.telescope.surveys import SURVEYS


@pytest.mark.parametrize("survey", list(SURVEYS))
def test_arrays_have_a_row_per_pixel(survey: str) -> None:
    instrument = instrument_of(survey)
    pixels = SURVEYS[survey].wavelength.size
    assert instrument.edges.size == pixels + 1
    for name in ("sensitivity", "resolution", "sky_continuum", "oxygen", "water", "moon"):
        values = getattr(instrument, name)
        assert values.shape == (pixels,) and np.isfinite(values).all() and values.min() >= 0
    for name in ("sky_lines", "sky_drift", "nebular", "curves"):
        assert getattr(instrument, name).shape[0] == pixels
    assert instrument_of(survey) is instrument


@pytest.mark.parametrize("survey", list(SURVEYS))
def test_resolution_is_that_of_the_arm(survey: str) -> None:
    instrument = instrument_of(survey)
    for arm in SURVEYS[survey].arms:
        alone = instrument.resolution[
            pixels_between(instrument.profile.wavelength, arm.low + 700, arm.high - 700)
        ]
        assert alone.min() >= arm.resolution_low and alone.max() <= arm.resolution_high
        assert (np.diff(alone) > 0).all()


def test_curves_are_chebyshev_polynomials() -> None:
    curves = chebyshev(500, 6)
    x = np.linspace(-1, 1, 500)
    assert curves.shape == (500, 6) and np.abs(curves).max() <= 1
    np.testing.assert_allclose(curves[:, 0], x, atol=1e-12)
    np.testing.assert_allclose(curves[:, 2], 4 * x**3 - 3 * x, atol=1e-12)


def test_pixels_between_two_wavelengths() -> None:
    wavelength = np.arange(4000.0, 5000.0, 2.0)
    assert pixels_between(wavelength, 4001.0, 4007.0) == slice(1, 4)
    assert pixels_between(wavelength, 3000.0, 3500.0) == slice(0, 0)
