import numpy as np
import pytest

from agent.spectra.spectrum import FloatArray
from tests.train.simulate.helpers import H_ALPHA
from train.simulate.source import GRID, LIGHT_KMS
from train.simulate.telescope.instrument import chebyshev, instrument_of, pixels_between
from train.simulate.telescope.optics import (
    Arm,
    blur,
    integrate,
    pixel_edges,
    sigma_pixels,
    through_arms,
)
from train.simulate.telescope.surveys import LAMOST, SURVEYS


def spike(wavelength: float) -> FloatArray:
    flux = np.zeros(GRID.size)
    flux[int(np.argmin(np.abs(GRID - wavelength)))] = 1.0
    return flux


def width_kms(flux: FloatArray) -> float:
    """Second moment as a Gaussian FWHM."""
    velocity = LIGHT_KMS * np.log(GRID)
    share = flux / flux.sum()
    mean = (share * velocity).sum()
    return float(2.3548 * np.sqrt((share * (velocity - mean) ** 2).sum()))


def test_blur_conserves_flux_and_widens_a_line_to_the_resolution() -> None:
    seen = blur(spike(6000.0), sigma_pixels(1800.0))
    assert seen.sum() == pytest.approx(1.0, rel=1e-9)
    assert width_kms(seen) == pytest.approx(LIGHT_KMS / 1800.0, rel=0.03)


def test_a_library_flux_is_blurred_only_by_what_it_lacks() -> None:
    total = np.hypot(sigma_pixels(1800.0, own=3000.0), sigma_pixels(3000.0))
    assert total == pytest.approx(sigma_pixels(1800.0))
    assert sigma_pixels(1800.0, own=1000.0) == 0.0


@pytest.mark.parametrize("place", [4000.0, 5000.0, 6500.0, 8500.0])
def test_resolution_runs_along_each_arm(place: float) -> None:
    arm = next(arm for arm in LAMOST.arms if arm.low < place < arm.high)
    ends = arm.resolution_low, arm.resolution_high
    expected = np.interp(place, (arm.low, arm.high), ends)
    seen = through_arms(spike(place), LAMOST.arms)
    assert LIGHT_KMS / width_kms(seen) == pytest.approx(expected, rel=0.12)


def test_arms_hand_over_without_a_jump() -> None:
    arms = (Arm("b", 4000, 6000, 1000, 1000), Arm("r", 5800, 8000, 3000, 3000))
    seen = through_arms(np.ones(GRID.size), arms)
    assert np.abs(seen - 1.0).max() < 1e-12


def test_integration_conserves_flux_over_any_pixels() -> None:
    flux = 1.0 + 0.5 * np.sin(GRID / 37.0)
    coarse, fine = np.arange(4000.0, 8000.0, 8.0), np.arange(4000.0, 8000.0, 2.0)

    def total(wavelength: FloatArray) -> float:
        edges = pixel_edges(wavelength)
        return float((integrate(flux, edges) * np.diff(edges)).sum())

    inside = (GRID > 3996) & (GRID < 7996)
    assert total(coarse) == pytest.approx(flux[inside].sum(), rel=2e-3)
    edges = pixel_edges(fine)
    whole = flux[(GRID > 3999) & (GRID < 7999)].sum()
    assert (integrate(flux, edges) * np.diff(edges)).sum() == pytest.approx(whole, rel=2e-3)


@pytest.mark.parametrize("velocity", [-400.0, 0.0, 250.0])
def test_velocity_moves_a_line_by_the_doppler_shift(velocity: float) -> None:
    wavelength = LAMOST.wavelength
    line = np.exp(-0.5 * ((GRID - H_ALPHA) / 5.0) ** 2)
    seen = integrate(line, pixel_edges(wavelength), velocity)
    centre = float((seen * wavelength).sum() / seen.sum())
    assert centre == pytest.approx(H_ALPHA * (1 + velocity / LIGHT_KMS), abs=0.15)


def test_pixels_beyond_the_source_see_nothing_wild() -> None:
    seen = integrate(np.ones(GRID.size), pixel_edges(np.arange(3000.0, 3300.0, 1.0)))
    assert np.isfinite(seen).all()


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
