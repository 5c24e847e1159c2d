"""Measures a line between two points of the continuum that a person chose."""

from dataclasses import dataclass

import numpy as np

from agent.errors import WorkbenchError
from agent.spectra.pixel_grid import LIGHT_KMS, pixel_edges
from agent.spectra.spectrum import FloatArray, Spectrum

POINT_PX = 3  # the continuum at a point is the median of so many pixels on each side of it
FEWEST_PX = 3


@dataclass(frozen=True)
class LineBetween:
    """Wavelengths and `ew` are observed vacuum angstrom; EW > 0 is absorption.

    Errors are None where the spectrum gives none. `fwhm_kms` is None where the line does not fall
    to half of its depth on both sides.
    """

    left: tuple[float, float]  # wavelength and flux of the continuum
    right: tuple[float, float]
    ew: float
    ew_error: float | None
    centroid: float | None
    fwhm_kms: float | None
    snr: float | None  # median of the continuum per pixel


def measure_between(spectrum: Spectrum, low: float, high: float) -> LineBetween:
    """Measure what lies between a straight continuum and the flux.

    Raises WorkbenchError where there are too few good pixels, or the continuum is not positive.
    """
    low, high = sorted((low, high))
    inside = (spectrum.wavelength >= low) & (spectrum.wavelength <= high) & spectrum.good
    if inside.sum() < FEWEST_PX:
        raise WorkbenchError("there are too few good pixels between the two points")
    first, last = _point(spectrum, low), _point(spectrum, high)
    # Both points may fall on the same pixels.
    slope = (last[1] - first[1]) / max(last[0] - first[0], 1e-9)
    left, right = (first[1] + slope * (at - first[0]) for at in (low, high))
    wavelength, flux = spectrum.wavelength[inside], spectrum.flux[inside]
    continuum = first[1] + slope * (wavelength - first[0])
    if not (continuum > 0).all():
        raise WorkbenchError("the continuum between the two points is not positive")
    widths = np.diff(pixel_edges(spectrum.wavelength))[inside]
    depth = 1.0 - flux / continuum
    ew = float(np.sum(depth * widths))
    ew_error, snr = None, None
    if spectrum.sigma is not None:
        noise = spectrum.sigma[inside] / continuum
        known = np.isfinite(noise)
        if known.any():
            snr = float(1.0 / np.median(noise[known]))
            ew_error = _ew_error(noise[known], widths[known], float(widths.sum()) - ew)
    weights = depth * widths
    signed = np.where(weights * ew > 0, weights, 0.0)
    total = float(signed.sum())
    return LineBetween(
        left=(low, left), right=(high, right), ew=ew, ew_error=ew_error,
        centroid=float(np.sum(signed * wavelength) / total) if total else None,
        fwhm_kms=_fwhm_kms(wavelength, depth if ew > 0 else -depth), snr=snr,
    )  # fmt: skip


def _point(spectrum: Spectrum, at: float) -> tuple[float, float]:
    """Middle wavelength and flux of the good pixels near a wavelength."""
    nearest = int(np.searchsorted(spectrum.wavelength, at))
    around = slice(max(nearest - POINT_PX, 0), nearest + POINT_PX + 1)
    good = spectrum.good[around]
    if not good.any():
        raise WorkbenchError(f"there is no good pixel near {at:.1f} Å")
    wavelength, flux = spectrum.wavelength[around][good], spectrum.flux[around][good]
    return float(np.median(wavelength)), float(np.median(flux))


def _ew_error(noise: FloatArray, widths: FloatArray, below: float) -> float:
    """From the pixels, and from the two points that fix the continuum."""
    of_pixels = float(np.sum((noise * widths) ** 2))
    of_point = float(np.median(noise)) / np.sqrt(2 * POINT_PX + 1)
    return float(np.sqrt(of_pixels + (below * of_point) ** 2 / 2.0))


def _fwhm_kms(wavelength: FloatArray, height: FloatArray) -> float | None:
    """The width at half of the largest height, if it falls so far on both sides."""
    top = int(np.argmax(height))
    half = 0.5 * float(height[top])
    below = np.flatnonzero(height < half)
    before, after = below[below < top], below[below > top]
    if half <= 0 or not before.size or not after.size:
        return None
    ends = [_crossing(wavelength, height, first, half) for first in (before[-1], after[0] - 1)]
    return float((ends[1] - ends[0]) / wavelength[top] * LIGHT_KMS)


def _crossing(wavelength: FloatArray, height: FloatArray, first: int, level: float) -> float:
    """Where the height passes a level between a pixel and the next."""
    ends = height[first : first + 2], wavelength[first : first + 2]
    order = np.argsort(ends[0])
    return float(np.interp(level, ends[0][order], ends[1][order]))
