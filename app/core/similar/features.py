"""What makes two spectra alike: their lines and bands, on a common grid without the continuum.

Chosen by measuring on 135 spectra of known classes (`python -m tests.bench similar`): the flux
itself compares reddening and calibration rather than classes. What a seeing model makes of the
picture finds fewer of the same class, and adds nothing to the lines but in much noise
(`train/RESULTS.md`).
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

from agent.spectra.spectrum import FloatArray, Spectrum
from app.core.spectra.prefetch import SpectrumKey

Features = NDArray[np.int8]

SIZE = 192
VERSION = 1  # to be raised whenever a spectrum's features change, so that stored ones are made anew
FIRST, LAST = 3800.0, 9000.0
"""Angstrom, vacuum, observed frame: what LAMOST, SDSS and DESI have in common."""
EDGES: FloatArray = np.geomspace(FIRST, LAST, SIZE + 1)
MIDDLES: FloatArray = np.sqrt(EDGES[1:] * EDGES[:-1])
MIN_BINS = SIZE // 8  # a spectrum that fills fewer has nothing to compare
CONTINUUM_BINS = 0.02 * SIZE
"""Standard deviation of the Gaussian whose running mean is the continuum: some 70 Å."""
FLOOR = 0.05  # least continuum, in medians of the flux
DEEPEST, HIGHEST = -1.0, 3.0
NOISE_SIGMA = 2.0  # lines of so many sigma count half
FULL_SCALE = 127


def features(spectrum: Spectrum) -> Features | None:
    """A vector of SIZE small integers; None if too little of the spectrum is in the range."""
    with np.errstate(all="ignore"):
        flux, sigma = binned(spectrum)
        filled = np.isfinite(flux)
        scale = np.median(np.abs(flux[filled])) if filled.any() else 0.0
        if filled.sum() < MIN_BINS or not (np.isfinite(scale) and scale > 0):
            return None
        continuum = np.maximum(_running_mean(np.where(filled, flux / scale, 0.0), filled), FLOOR)
        lines = np.clip(flux / scale / continuum - 1.0, DEEPEST, HIGHEST)
        noise = sigma / scale / continuum
        lines *= lines**2 / (lines**2 + (NOISE_SIGMA * noise) ** 2)
        # The root lets a weak line count beside a strong one.
        lines = np.sign(lines) * np.sqrt(np.abs(lines))
        lines = np.where(np.isfinite(lines), lines, 0.0)
    lines[filled] -= lines[filled].mean()
    highest = float(np.abs(lines).max())
    if not highest > 0:
        return None
    return np.rint(lines / highest * FULL_SCALE).astype(np.int8)


def features_key(key: SpectrumKey) -> int:
    """Tells whether stored features are those of this file and row."""
    text = f"{VERSION} {key.row} {key.path}".encode(errors="surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def binned(spectrum: Spectrum) -> tuple[FloatArray, FloatArray]:
    """Means of the good pixels of each bin, and their errors; 0 if the file gives none."""
    good = spectrum.good
    wavelength, flux = spectrum.wavelength[good], spectrum.flux[good]
    place = np.searchsorted(EDGES, wavelength, side="right") - 1
    inside = (place >= 0) & (place < SIZE)
    place = place[inside]
    count = np.bincount(place, minlength=SIZE)
    mean = np.bincount(place, flux[inside], minlength=SIZE) / count
    if wavelength.size > 1:  # bins between the pixels of a coarse spectrum
        between = (count == 0) & (wavelength[0] < MIDDLES) & (wavelength[-1] > MIDDLES)
        wide = np.interp(MIDDLES, wavelength, np.gradient(wavelength)) > np.diff(EDGES) / 2
        mean = np.where(between & wide, np.interp(MIDDLES, wavelength, flux), mean)
    if spectrum.ivar is None:
        return mean, np.zeros(SIZE)
    variance = np.bincount(place, 1.0 / spectrum.ivar[good][inside], minlength=SIZE)
    return mean, np.where(count > 0, np.sqrt(variance) / np.maximum(count, 1), 0.0)


def _running_mean(flux: FloatArray, filled: NDArray[np.bool_]) -> FloatArray:
    """A Gaussian mean over the filled bins; beyond the ends stand the end values."""
    reach = int(4 * CONTINUUM_BINS)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / CONTINUUM_BINS) ** 2)
    total = np.convolve(np.pad(flux, reach, "edge"), weights, "valid")
    count = np.convolve(np.pad(filled.astype(np.float64), reach, "edge"), weights, "valid")
    return np.asarray(total / np.maximum(count, 1e-3 * weights.sum()), dtype=np.float64)
