"""A line between two points of the continuum: against lines whose numbers are known."""

from __future__ import annotations

import numpy as np
import pytest

from agent.errors import WorkbenchError
from agent.spectra.measure.between_points import _fwhm_kms, measure_between
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import Spectrum

CENTRE, SIGMA_A = 6564.6, 6.0


def spectrum(depth: float, noise: float = 0.0, slope: float = 0.0, seed: int = 1) -> Spectrum:
    """A Gaussian line on a straight continuum of 100."""
    wavelength = np.linspace(6400.0, 6700.0, 600)
    continuum = 100.0 * (1.0 + slope * (wavelength - CENTRE) / 100.0)
    line = 1.0 - depth * np.exp(-0.5 * ((wavelength - CENTRE) / SIGMA_A) ** 2)
    flux = continuum * line + noise * np.random.default_rng(seed).normal(size=wavelength.size)
    ivar = np.full(wavelength.size, 1.0 / noise**2) if noise else None
    return Spectrum(wavelength=wavelength, flux=flux, ivar=ivar)


@pytest.mark.parametrize("depth", [0.5, -3.0])
@pytest.mark.parametrize("slope", [0.0, 0.4])
def test_a_line_without_noise(depth: float, slope: float) -> None:
    found = measure_between(spectrum(depth, slope=slope), 6520.0, 6610.0)
    assert found.ew == pytest.approx(depth * SIGMA_A * np.sqrt(2.0 * np.pi), rel=0.01)
    assert found.centroid == pytest.approx(CENTRE, abs=0.1)
    fwhm = 2.3548 * SIGMA_A / CENTRE * LIGHT_KMS
    assert found.fwhm_kms == pytest.approx(fwhm, rel=0.03)
    assert found.ew_error is None and found.snr is None


def test_the_order_of_the_points_does_not_matter() -> None:
    one = spectrum(0.5, noise=1.0)
    assert measure_between(one, 6610.0, 6520.0) == measure_between(one, 6520.0, 6610.0)


def test_the_error_is_the_scatter_of_many_measurements() -> None:
    found = [measure_between(spectrum(0.5, 4.0, seed=each), 6520.0, 6610.0) for each in range(200)]
    scatter = float(np.std([each.ew for each in found]))
    stated = float(np.median([each.ew_error for each in found if each.ew_error is not None]))
    assert 0.6 < stated / scatter < 1.6
    assert found[0].snr == pytest.approx(25.0, rel=0.1)


def test_a_line_that_rises_to_the_edge_has_no_width() -> None:
    wavelength = 6500.0 + np.arange(20.0)
    assert _fwhm_kms(wavelength, np.arange(20.0)) is None
    assert _fwhm_kms(wavelength, np.zeros(20)) is None


def test_what_cannot_be_measured_is_told() -> None:
    with pytest.raises(WorkbenchError, match="too few good pixels"):
        measure_between(spectrum(0.5), 6500.0, 6500.3)
    with pytest.raises(WorkbenchError, match="too few good pixels"):
        measure_between(spectrum(0.5), 7000.0, 7100.0)
    dark = Spectrum(wavelength=np.linspace(5000.0, 5100.0, 200), flux=np.full(200, -1.0))
    with pytest.raises(WorkbenchError, match="not positive"):
        measure_between(dark, 5020.0, 5060.0)
