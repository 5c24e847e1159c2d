"""Fits a Gaussian or a Voigt profile to a line between two points of the continuum."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from agent.errors import WorkbenchError
from agent.spectra.measure.between_points import POINT_PX
from agent.spectra.pixel_grid import LIGHT_KMS, MIN_SIGMA
from agent.spectra.smoothing import FWHM_PER_SIGMA
from agent.spectra.spectrum import FloatArray, Spectrum, Window

Shape = Literal["gaussian", "voigt"]
Reason = Literal[
    "no_pixels", "not_positive", "noise", "wide", "narrow", "edge", "wings", "diverged"
]
SIGNIFICANT = 5.0
"""Equivalent widths of fewer of their errors are what noise alone gives somewhere in a range."""
WIDEST = 0.7
"""A FWHM above this fraction of the range leaves no continuum to tell the line from."""
NARROWEST_PX = 0.8
LEAST_PART_PX = 0.1
"""Least width of either part of a Voigt profile; with that of the Lorentzian it is a Gaussian."""
POOR = 2.0
"""A reduced chi-squared above this means another shape, or more than one line."""
CURVE_POINTS = 240
MAX_STEPS = 500


class FitError(WorkbenchError):
    """A line that cannot be fitted; `reason` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(f"the line cannot be fitted: {reason.replace('_', ' ')}")
        self.reason = reason


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedProfile:
    """Observed vacuum angstrom and km/s with 1-sigma errors; EW > 0 is absorption.

    The errors include that of the continuum's two points. The width includes the instrument's.
    """

    shape: Shape
    centre: float
    centre_error: float
    fwhm: float
    fwhm_error: float
    ew: float
    ew_error: float
    reduced_chi2: float | None
    """None where the file gives no errors; those of the fit are then from its residuals."""
    wavelength: FloatArray
    flux: FloatArray
    """The profile on its continuum, in the flux of the file, to be drawn."""

    @property
    def is_poor(self) -> bool:
        return self.reduced_chi2 is not None and self.reduced_chi2 > POOR

    @property
    def fwhm_kms(self) -> float:
        return self.fwhm / self.centre * LIGHT_KMS

    @property
    def fwhm_kms_error(self) -> float:
        return self.fwhm_error / self.centre * LIGHT_KMS


def fit_profile(
    spectrum: Spectrum, left: tuple[float, float], right: tuple[float, float], shape: Shape
) -> FittedProfile:
    """Fit flux / continuum - 1 between two points, each a wavelength and a flux.

    The straight continuum between them is held. Raises FitError where there is no such line.
    """
    low, high = left[0], right[0]
    inside = (spectrum.wavelength >= low) & (spectrum.wavelength <= high) & spectrum.good
    wavelength = spectrum.wavelength[inside]
    model = _start(shape)
    n_free = len(model.param_names)
    if wavelength.size < n_free + 3:
        raise FitError("no_pixels")
    continuum = np.interp(wavelength, (low, high), (left[1], right[1]))
    if not (continuum > 0).all():
        raise FitError("not_positive")
    level = spectrum.flux[inside] / continuum
    sigma = None if spectrum.sigma is None else spectrum.sigma[inside] / continuum
    pixel = float(np.median(np.diff(wavelength)))
    _guess(model, wavelength, level - 1.0, (low, high), pixel)
    fit, has_converged = _fitted(model, wavelength, level - 1.0, sigma)
    covariance = None if fit.cov_matrix is None else fit.cov_matrix.cov_matrix
    if not has_converged or covariance is None or not np.isfinite(covariance).all():
        raise FitError("diverged")
    residual = level - 1.0 - fit(wavelength)
    n_left = wavelength.size - n_free
    noise = sigma
    if noise is None:
        rms = np.sqrt(np.sum(residual**2) / n_left)
        noise = np.full(wavelength.size, max(float(rms), MIN_SIGMA))
    covariance = covariance + _of_continuum(fit, covariance, wavelength, level, noise)
    (fwhm, ew), steps = _width_and_ew(fit)
    fwhm_error, ew_error = (float(np.sqrt(step @ covariance @ step)) for step in steps)
    at = fit.param_names.index("mean" if _is_gaussian(fit) else "x_0")
    centre, centre_error = float(fit.parameters[at]), float(np.sqrt(covariance[at, at]))
    if not abs(ew) >= SIGNIFICANT * ew_error:
        raise FitError("noise")
    if reason := _why_not(fit, (low, high), pixel, centre, fwhm):
        raise FitError(reason)
    drawn = np.linspace(low, high, CURVE_POINTS)
    below = np.interp(drawn, (low, high), (left[1], right[1]))
    return FittedProfile(
        shape=shape,
        centre=centre,
        centre_error=centre_error,
        fwhm=fwhm,
        fwhm_error=fwhm_error,
        ew=ew,
        ew_error=ew_error,
        reduced_chi2=None if sigma is None else float(np.sum((residual / sigma) ** 2) / n_left),
        wavelength=drawn,
        flux=below * (1.0 + fit(drawn)),
    )


def _start(shape: Shape) -> Any:
    from astropy.modeling.models import Gaussian1D, Voigt1D

    return Gaussian1D() if shape == "gaussian" else Voigt1D()


def _fitted(
    model: Any, wavelength: FloatArray, excess: FloatArray, sigma: FloatArray | None
) -> tuple[Any, bool]:
    """The model that fits best, and whether the steps came to an end."""
    from astropy.modeling.fitting import NonFiniteValueError, TRFLSQFitter
    from astropy.utils.exceptions import AstropyUserWarning

    fitter = TRFLSQFitter(calc_uncertainties=True)
    weights = None if sigma is None else 1.0 / sigma
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AstropyUserWarning)  # `success` says the same
            fit = fitter(model, wavelength, excess, weights=weights, maxiter=MAX_STEPS)
    except (NonFiniteValueError, ValueError, np.linalg.LinAlgError) as error:
        raise FitError("diverged") from error
    return fit, bool(fitter.fit_info.success)


def _is_gaussian(model: Any) -> bool:
    return "mean" in model.param_names


def _guess(
    model: Any, wavelength: FloatArray, excess: FloatArray, ends: Window, pixel: float
) -> None:
    """Start at the strongest broad excess, a sixth of the range wide, and set the bounds."""
    width = (ends[1] - ends[0]) / 6.0
    kernel = np.exp(-4.0 * np.log(2.0) * ((wavelength[:, None] - wavelength) / width) ** 2)
    smooth = kernel @ excess / kernel.sum(axis=1)
    top = int(np.argmax(np.abs(smooth)))
    narrow, wide = 0.3 * pixel, 2.0 * (ends[1] - ends[0])
    if _is_gaussian(model):
        model.amplitude, model.mean, model.stddev = (
            smooth[top],
            wavelength[top],
            width / FWHM_PER_SIGMA,
        )
        model.mean.bounds = ends
        model.stddev.bounds = narrow / FWHM_PER_SIGMA, wide / FWHM_PER_SIGMA
        return
    model.x_0, model.fwhm_G, model.fwhm_L = wavelength[top], 0.7 * width, 0.4 * width
    model.amplitude_L = 1.0
    model.amplitude_L = smooth[top] / float(model(wavelength[top]))
    model.x_0.bounds = ends
    model.fwhm_G.bounds = model.fwhm_L.bounds = LEAST_PART_PX * pixel, wide


def _of_continuum(
    fit: Any, covariance: FloatArray, wavelength: FloatArray, level: FloatArray, noise: FloatArray
) -> FloatArray:
    """What the error of the continuum's two points adds to the covariance of the parameters."""
    slopes = np.array(fit.fit_deriv(wavelength, *fit.parameters))
    towards = (wavelength - wavelength[0]) / (wavelength[-1] - wavelength[0])
    # The median of n values has an error of sqrt(pi / 2 n) of one.
    of_point = float(np.median(noise)) * np.sqrt(0.5 * np.pi / (2 * POINT_PX + 1))
    added = np.zeros_like(covariance)
    for share in (1.0 - towards, towards):
        step = covariance @ (slopes @ (level * share * of_point / noise**2))
        added += np.outer(step, step)
    return added


def _width_and_ew(fit: Any) -> tuple[tuple[float, float], tuple[FloatArray, FloatArray]]:
    """FWHM and equivalent width, each with its derivatives over the parameters."""
    if _is_gaussian(fit):
        amplitude, _, sigma = fit.parameters
        area = np.sqrt(2.0 * np.pi)
        of_ew = -area * np.array([sigma, 0.0, amplitude])
        return (FWHM_PER_SIGMA * sigma, -area * amplitude * sigma), (
            np.array([0.0, 0.0, FWHM_PER_SIGMA]),
            of_ew,
        )
    _, amplitude, lorentz, gauss = fit.parameters
    # Olivero & Longbothum (1977): good to 0.02 %.
    root = np.sqrt(0.2166 * lorentz**2 + gauss**2)
    of_width = np.array([0.0, 0.0, 0.5346 + 0.2166 * lorentz / root, gauss / root])
    of_ew = -0.5 * np.pi * np.array([0.0, lorentz, amplitude, 0.0])
    return (0.5346 * lorentz + root, -0.5 * np.pi * amplitude * lorentz), (of_width, of_ew)


def _why_not(fit: Any, ends: Window, pixel: float, centre: float, fwhm: float) -> Reason | None:
    """What speaks against the fit of a line that is there."""
    if min(centre - ends[0], ends[1] - centre) < pixel:
        return "edge"
    if fwhm > WIDEST * (ends[1] - ends[0]):
        return "wide"
    if fwhm < NARROWEST_PX * pixel:
        return "narrow"
    if not _is_gaussian(fit) and fit.fwhm_L.value < 1.01 * LEAST_PART_PX * pixel:
        return "wings"
    return None
