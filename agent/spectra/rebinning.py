"""Coarser pixels for the measurements of very fine spectra, whose cost grows as their square."""

from dataclasses import replace

import numpy as np

from agent.spectra.pixel_grid import LIGHT_KMS, kept_with
from agent.spectra.spectrum import Spectrum

MAX_MEASURED = 40_000
"""Pixels up to which a spectrum is measured as it is: all of surveys, and most echelle spectra."""
PIXEL_KMS = 10.0
BEST_RESOLUTION = LIGHT_KMS / (2.0 * PIXEL_KMS)


def measurable(spectrum: Spectrum) -> Spectrum:
    """The spectrum, or one with pixels of 10 km/s if it has very many. Any thread."""
    return spectrum if len(spectrum) <= MAX_MEASURED else _coarser(spectrum)


@kept_with
def _coarser(spectrum: Spectrum) -> Spectrum:
    return rebinned(spectrum, PIXEL_KMS)


def rebinned(spectrum: Spectrum, pixel_kms: float) -> Spectrum:
    """Means of the good pixels in bins of this width; a wider pixel stays as it is."""
    wavelength, good = spectrum.wavelength, spectrum.good
    bins = np.floor(np.log(wavelength / wavelength[0]) * (LIGHT_KMS / pixel_kms))
    starts = np.flatnonzero(np.diff(bins, prepend=-1.0))
    if starts.size < 2:
        return spectrum
    with np.errstate(all="ignore"):
        count = np.add.reduceat(good.astype(np.float64), starts)
        flux = np.add.reduceat(np.where(good, spectrum.flux, 0.0), starts) / count
        ivar = None
        if spectrum.ivar is not None:
            variance = np.where(good, 1.0 / spectrum.ivar, 0.0)
            ivar = count**2 / np.add.reduceat(variance, starts)
    sizes = np.diff(starts, append=wavelength.size)
    resolution = spectrum.resolution
    return replace(
        spectrum, wavelength=np.add.reduceat(wavelength, starts) / sizes, flux=flux, ivar=ivar,
        mask=None, resolution=None if resolution is None else min(resolution, BEST_RESOLUTION),
    )  # fmt: skip
