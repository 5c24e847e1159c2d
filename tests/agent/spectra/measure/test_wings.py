"""Wings that end nowhere, fitted together with the continuum that they depress."""

from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.measure.wings import WingedWidth, winged_width
from agent.spectra.pixel_grid import pixel_grid
from agent.spectra.spectrum import FloatArray
from tests.agent.spectra.measure.known_lines import H_BETA, KnownLine, gaussian, observed, stark


def fitted(
    line: KnownLine, snr: float, reach: float = 3.0, continuum: float = 1.0
) -> WingedWidth | None:
    """The fit of a line against a flat profile, which no line resembles."""
    spectrum = observed([line], snr, np.random.default_rng(2), continuum)
    grid = pixel_grid(spectrum)
    window = H_BETA - reach * line.fwhm, H_BETA + reach * line.fwhm

    def flat(wavelength: FloatArray) -> FloatArray:
        return np.full_like(wavelength, continuum / grid.scale)

    return winged_width(grid, window, H_BETA, line.fwhm, 0.45, flat)


@pytest.mark.parametrize("continuum", [1.0, 3e-17])
def test_the_whole_line_is_found_within_its_error(continuum: float):
    line = stark("DA", "H_beta", H_BETA, 34.0, 0.45)
    found = fitted(line, 60.0, continuum=continuum)
    assert found is not None and found.share > 0.999
    assert found.width == pytest.approx(line.ew, abs=3 * found.error)
    assert 0.01 < found.error / line.ew < 0.06


def test_the_error_grows_with_the_noise():
    line = stark("DA", "H_beta", H_BETA, 34.0, 0.45)
    quiet, noisy = fitted(line, 100.0), fitted(line, 20.0)
    assert quiet is not None and noisy is not None
    assert noisy.error > 2.0 * quiet.error


def test_too_few_pixels_and_emission_are_refused():
    assert fitted(stark("DA", "H_beta", H_BETA, 34.0, 0.45), 60.0, reach=0.2) is None
    assert fitted(gaussian("CV", "H_beta", H_BETA, 30.0, 1.0), 60.0) is None
