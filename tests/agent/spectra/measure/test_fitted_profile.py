"""Fitted profiles: against simulated lines whose centre, width and strength are known."""

import numpy as np
import pytest
from astropy.modeling.models import Gaussian1D, Voigt1D

from agent.spectra.measure.fitted_profile import (
    FitError,
    FittedProfile,
    Shape,
    fit_profile,
    measure_between,
)
from agent.spectra.spectrum import Spectrum

CENTRE = 6564.6
WAVELENGTH = np.linspace(6400.0, 6730.0, 330)
FWHM_PER_SIGMA = 2.0 * np.sqrt(2.0 * np.log(2.0))


def spectrum(line, noise=2.0, seed=1, has_errors=True) -> Spectrum:
    """A line, in units of the continuum, on a sloping continuum of about 100."""
    continuum = 100.0 * (1.0 + 0.2 * (WAVELENGTH - CENTRE) / 100.0)
    draw = np.random.default_rng(seed).normal(size=WAVELENGTH.size)
    flux = continuum * (1.0 + line(WAVELENGTH)) + noise * draw
    ivar = np.full(WAVELENGTH.size, noise**-2.0) if has_errors else None
    return Spectrum(wavelength=WAVELENGTH, flux=flux, ivar=ivar)


def fitted(observed: Spectrum, shape: Shape) -> FittedProfile:
    points = measure_between(observed, 6490.0, 6640.0)
    return fit_profile(observed, points.left, points.right, shape)


def voigt(lorentz: float, gauss: float, height: float) -> Voigt1D:
    line = Voigt1D(x_0=CENTRE, fwhm_L=lorentz, fwhm_G=gauss, amplitude_L=1.0)
    line.amplitude_L = height / float(line(CENTRE))
    return line


def truth(line) -> tuple[float, float]:
    """FWHM and equivalent width of a line, by counting."""
    at = np.linspace(CENTRE - 3000.0, CENTRE + 3000.0, 1_200_001)
    values = line(at)
    above = at[np.abs(values) > 0.5 * np.abs(values).max()]
    return float(above[-1] - above[0]), -float(np.trapezoid(values, at))


@pytest.mark.parametrize("has_errors", [True, False])
@pytest.mark.parametrize(("line", "shape"), [
    (Gaussian1D(-0.5, CENTRE, 6.0), "gaussian"), (Gaussian1D(2.0, CENTRE, 4.0), "gaussian"),
    (voigt(3.0, 8.0, 1.0), "voigt"), (voigt(6.0, 5.0, -0.6), "voigt"),
])  # fmt: skip
def test_numbers_agree_within_their_errors(line, shape: Shape, has_errors: bool) -> None:
    fwhm, ew = truth(line)
    found = [fitted(spectrum(line, seed=seed, has_errors=has_errors), shape) for seed in range(60)]
    pulls = np.array(
        [
            (
                (each.centre - CENTRE) / each.centre_error,
                (each.fwhm - fwhm) / each.fwhm_error,
                (each.ew - ew) / each.ew_error,
            )
            for each in found
        ]
    )
    assert (np.abs(pulls.mean(axis=0)) < 0.5).all()
    assert (pulls.std(axis=0) > 0.7).all() and (pulls.std(axis=0) < 1.3).all()
    chi2 = [each.reduced_chi2 for each in found]
    assert 0.9 < np.mean(chi2) < 1.3 if has_errors else set(chi2) == {None}
    assert not any(each.is_poor for each in found)


def test_a_line_without_noise_is_found_exactly_and_its_curve_lies_on_the_continuum() -> None:
    line = Gaussian1D(-0.5, CENTRE, 6.0)
    found = fitted(spectrum(line, noise=0.0, has_errors=False), "gaussian")
    assert found.centre == pytest.approx(CENTRE, abs=1e-3)
    assert found.fwhm == pytest.approx(6.0 * FWHM_PER_SIGMA, rel=1e-3)
    assert found.ew == pytest.approx(3.0 * np.sqrt(2.0 * np.pi), rel=1e-3)
    assert found.fwhm_kms == pytest.approx(found.fwhm / CENTRE * 299_792.458)
    line = Gaussian1D(1.5, CENTRE, 6.0)
    found = fitted(spectrum(line, noise=0.5), "gaussian")
    at = found.wavelength
    expected = 100.0 * (1.0 + 0.2 * (at - CENTRE) / 100.0) * (1.0 + line(at))
    np.testing.assert_allclose(found.flux, expected, rtol=0.02)


@pytest.mark.parametrize("shape", ["gaussian", "voigt"])
def test_pure_noise_is_refused(shape: Shape) -> None:
    reasons = []
    for seed in range(40):
        with pytest.raises(FitError) as refused:
            fitted(spectrum(np.zeros_like, seed=seed), shape)
        reasons.append(refused.value.reason)
    assert set(reasons) == {"noise"}


def test_a_blend_fits_badly_and_a_voigt_without_wings_is_refused() -> None:
    blend = Gaussian1D(1.0, CENTRE - 12.0, 5.0) + Gaussian1D(0.7, CENTRE + 12.0, 5.0)
    found = fitted(spectrum(blend), "gaussian")
    assert found.is_poor and found.reduced_chi2 > 10.0
    box = lambda at: 1.0 * (np.abs(at - CENTRE) < 15.0)  # noqa: E731
    with pytest.raises(FitError, match="wings"):
        fitted(spectrum(box), "voigt")


@pytest.mark.parametrize(("line", "reason"), [
    (Gaussian1D(-0.5, CENTRE, 80.0), "wide"),
    (lambda at: 3.0 * (np.abs(at - CENTRE) < 0.6), "narrow"),
    (Gaussian1D(3.0, 6489.0, 8.0), "edge"),
])  # fmt: skip
def test_a_fit_that_hits_a_bound_says_which(line, reason: str) -> None:
    observed = spectrum(line)
    with pytest.raises(FitError) as refused:
        fit_profile(observed, (6490.0, 85.0), (6640.0, 115.0), "gaussian")
    assert refused.value.reason == reason


def test_bad_pixels_are_left_out() -> None:
    clean = spectrum(Gaussian1D(-0.5, CENTRE, 6.0))
    flux, mask = clean.flux.copy(), np.zeros(len(clean), dtype=bool)
    flux[160:163], mask[160:163] = 1e4, True
    marred = Spectrum(wavelength=clean.wavelength, flux=flux, ivar=clean.ivar, mask=mask)
    found = fitted(marred, "gaussian")
    assert found.ew == pytest.approx(fitted(clean, "gaussian").ew, abs=2.0 * found.ew_error)


def test_what_has_no_pixels_or_no_continuum_is_refused() -> None:
    observed = spectrum(Gaussian1D(-0.5, CENTRE, 6.0))
    with pytest.raises(FitError, match="no pixels"):
        fit_profile(observed, (6560.0, 100.0), (6564.0, 100.0), "gaussian")
    with pytest.raises(FitError, match="not positive"):
        fit_profile(observed, (6490.0, -5.0), (6640.0, 100.0), "gaussian")
