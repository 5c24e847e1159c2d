"""Prepares a spectrum for measuring: pixel edges, noise and running sums, computed once."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from threading import Lock
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum

LIGHT_KMS = 299_792.458
NOISE_BLOCK = 64  # pixels per noise estimate where a file gives no errors
MIN_SIGMA = 1e-7  # smallest error, relative to the typical flux: keeps noiseless spectra measurable
MAX_RELATIVE = 1e9  # fluxes and errors beyond this multiple of the typical flux are treated as bad

IndexArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class WindowSums:
    """Integrals over windows; every array has one value per window. Wavelengths in angstrom."""

    width: FloatArray
    covered: FloatArray  # width of the part on good pixels
    flux: FloatArray  # Integral of flux over the good pixels
    variance: FloatArray
    centre: FloatArray  # mean wavelength of the good pixels
    n_pixels: FloatArray

    @property
    def mean(self) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.flux / self.covered

    @property
    def error(self) -> FloatArray:
        """1-sigma error of the mean."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.sqrt(self.variance) / self.covered

    @property
    def coverage(self) -> FloatArray:
        return self.covered / self.width


@dataclass(frozen=True, eq=False)
class PixelGrid:
    """The pixels of a spectrum, with flux and sigma divided by `scale`, its typical flux.

    `flux` and `sigma` are interpolated over bad pixels; `good` says which are measured.
    `has_errors` is False where sigma is the scatter of the flux itself.
    """

    wavelength: FloatArray
    edges: FloatArray
    width: FloatArray
    flux: FloatArray
    sigma: FloatArray
    good: BoolArray
    scale: float
    has_errors: bool

    @cached_property
    def is_usable(self) -> bool:
        return bool(self.good.sum() >= 2)

    def slice(self, lo: float, hi: float) -> slice:
        """Pixels with centres in [lo, hi)."""
        first, last = self.wavelength.searchsorted((lo, hi)).tolist()
        return slice(first, last)

    @cached_property
    def _running(self) -> FloatArray:
        """Rows of cumulative sums over good pixels: width, flux, wavelength and number."""
        width = np.where(self.good, self.width, 0.0)
        rows = np.stack([width, width * self.flux, width * self.wavelength, self.good])
        return _cumulative(rows)

    @cached_property
    def _running_variance(self) -> FloatArray:
        return _cumulative(np.where(self.good, (self.width * self.sigma) ** 2, 0.0)[None, :])[0]

    def sums(self, lo: FloatArray, hi: FloatArray) -> WindowSums:
        """Integrals over [lo, hi]; pixels cut by the end of a window count in part."""
        first, start = self._locate(lo)
        last, end = self._locate(hi)
        totals = self._between(self._running, first, start, last, end)
        variance = self._running_variance
        step_first = variance[first + 1] - variance[first]
        step_last = variance[last + 1] - variance[last]
        inside = variance[last] - variance[np.minimum(first + 1, last)]
        same = first == last
        # A fraction p of a pixel contributes p of its flux but p^2 of its variance.
        partial = np.where(same, (end - start) ** 2 * step_first, 0.0)
        partial += np.where(same, 0.0, (1 - start) ** 2 * step_first + end**2 * step_last)
        with np.errstate(divide="ignore", invalid="ignore"):
            centre = totals[2] / totals[0]
        width, variance = np.asarray(hi - lo), inside + partial
        return WindowSums(width, totals[0], totals[1], variance, centre, totals[3])

    def _locate(self, wavelength: FloatArray) -> tuple[IndexArray, FloatArray]:
        """The pixel of each wavelength and the fraction of it passed, clipped to the spectrum."""
        inside = np.clip(wavelength, self.edges[0], self.edges[-1])
        pixel = np.searchsorted(self.edges, inside, side="right") - 1
        pixel = np.clip(pixel, 0, self.wavelength.size - 1)
        return pixel, np.asarray((inside - self.edges[pixel]) / self.width[pixel])

    @staticmethod
    def _between(
        running: FloatArray, first: IndexArray, start: FloatArray, last: IndexArray, end: FloatArray
    ) -> FloatArray:
        at_first, at_last = running[:, first], running[:, last]
        upper = at_last + end * (running[:, last + 1] - at_last)
        lower = at_first + start * (running[:, first + 1] - at_first)
        return np.asarray(upper - lower)


Source = TypeVar("Source")
Made = TypeVar("Made")


def kept_with(make: Callable[[Source], Made]) -> Callable[[Source], Made]:
    """The function with each result kept for the life of what it was made of. Any thread."""
    kept: WeakKeyDictionary[Source, Made] = WeakKeyDictionary()
    lock = Lock()

    @wraps(make)
    def made_once(source: Source) -> Made:
        with lock:
            made = kept.get(source)
        if made is None:
            made = make(source)
            with lock:
                kept[source] = made
        return made

    return made_once


@kept_with
def pixel_grid(spectrum: Spectrum) -> PixelGrid:
    edges = pixel_edges(spectrum.wavelength)
    scale = _typical(np.abs(spectrum.flux[spectrum.good]))
    with np.errstate(over="ignore", invalid="ignore"):
        flux = spectrum.flux / scale
        good = spectrum.good & (np.abs(flux) < MAX_RELATIVE)
        sigma = None if spectrum.sigma is None else spectrum.sigma / scale
    flux = fill(flux, good)
    if sigma is None:
        sigma = scatter(flux, good)
    else:
        sigma = fill(np.clip(sigma, MIN_SIGMA, MAX_RELATIVE), good)
    return PixelGrid(
        wavelength=spectrum.wavelength, edges=edges, width=np.diff(edges), flux=flux,
        sigma=np.maximum(sigma, MIN_SIGMA), good=good, scale=scale,
        has_errors=spectrum.sigma is not None,
    )  # fmt: skip


def pixel_edges(wavelength: FloatArray) -> FloatArray:
    """Edges half-way between pixel centres; the end pixels are as wide as their neighbours."""
    middle = 0.5 * (wavelength[1:] + wavelength[:-1])
    first = 1.5 * wavelength[0] - 0.5 * wavelength[1]
    last = 1.5 * wavelength[-1] - 0.5 * wavelength[-2]
    return np.concatenate([[first], middle, [last]])


def fill(values: FloatArray, good: BoolArray) -> FloatArray:
    """Values interpolated linearly across bad pixels; zeros if no pixel is good."""
    if good.all():
        return values
    if not good.any():
        return np.zeros_like(values)
    index = np.arange(values.size)
    filled = values.copy()
    filled[~good] = np.interp(index[~good], index[good], values[good])
    return filled


def scatter(flux: FloatArray, good: BoolArray) -> FloatArray:
    """Noise of each pixel from the flux alone, by block medians of second differences.

    2 F(i) - F(i-2) - F(i+2) does not respond to slopes or to correlated neighbouring pixels.
    Sharp features raise it, so these errors tend to be too large.
    """
    values = flux[good]
    if values.size < 5:
        return np.full(flux.size, float(np.std(values)) if values.size else 0.0)
    difference = np.abs(2.0 * values[2:-2] - values[:-4] - values[4:])
    blocks = max(1, difference.size // NOISE_BLOCK)
    usable = difference[: blocks * NOISE_BLOCK] if difference.size >= NOISE_BLOCK else difference
    medians = np.median(usable.reshape(blocks, -1), axis=1) * (1.482602 / np.sqrt(6.0))
    positions = np.flatnonzero(good)[2:-2]
    centres = positions[: usable.size].reshape(blocks, -1).mean(axis=1)
    return np.interp(np.arange(flux.size), centres, medians)


def median(values: FloatArray) -> float:
    """`np.median` of finite values without its overhead, which dominates for short arrays."""
    half = values.size // 2
    if values.size % 2:
        return float(np.partition(values, half)[half])
    ordered = np.partition(values, (half - 1, half))
    return 0.5 * float(ordered[half - 1] + ordered[half])


def _typical(magnitudes: FloatArray) -> float:
    positive = magnitudes[(magnitudes > 0) & np.isfinite(magnitudes)]
    if not positive.size:
        return 1.0
    with np.errstate(over="ignore"):
        median = min(float(np.median(positive)), float(positive.max()))
    return median if median > 1e-290 else float(positive.max())


def _cumulative(rows: FloatArray) -> FloatArray:
    running = np.zeros((rows.shape[0], rows.shape[1] + 1))
    np.cumsum(rows, axis=1, out=running[:, 1:])
    return running


def doppler(velocity_kms: float) -> float:
    """Factor from rest to observed wavelength, 1 + v/c."""
    return 1.0 + velocity_kms / LIGHT_KMS
