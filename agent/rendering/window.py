"""Selects the pixels of a spectrum to draw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agent.ellipsis import shortened
from agent.errors import SpectrumError
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum

MAX_FLUX = 1e100  # larger fill values would overflow, so they count as not finite
MIN_POINTS = 2
REDSHIFTS = (-0.5, 20.0)
MAX_TITLE = 120


@dataclass(frozen=True, eq=False)
class DrawnPixels:
    """Finite pixels with increasing wavelength in angstrom; `whole` unless cut to a window."""

    wavelength: FloatArray
    flux: FloatArray
    good: BoolArray
    whole: bool

    def __len__(self) -> int:
        return int(self.wavelength.size)

    @property
    def span(self) -> float:
        return float(self.wavelength[-1] - self.wavelength[0])

    def without_bad(self) -> DrawnPixels:
        """Only the good pixels, or all if fewer than half are good, as the mask is then useless."""
        if self.good.all() or 2 * self.good.sum() < max(len(self), 2 * MIN_POINTS):
            return self
        good = self.good
        return DrawnPixels(self.wavelength[good], self.flux[good], good[good], self.whole)


def drawable_pixels(spectrum: Spectrum, z: float | None = None) -> DrawnPixels:
    """All pixels with finite flux, including masked ones, in the rest frame if `z` is given."""
    wavelength, flux, good = spectrum.wavelength, spectrum.flux, spectrum.good
    if z is not None:
        if not REDSHIFTS[0] <= z <= REDSHIFTS[1]:
            raise SpectrumError(f"a redshift of {z} is out of range {REDSHIFTS}")
        wavelength = wavelength / (1.0 + z)
    keep = np.isfinite(flux) & (np.abs(flux) <= MAX_FLUX)
    if not keep.all():
        wavelength, flux, good = wavelength[keep], flux[keep], good[keep]
    return DrawnPixels(wavelength, flux, good, whole=True)


def cut_window(window: DrawnPixels, low: float, high: float) -> DrawnPixels:
    """The pixels from `low` to `high`, both included, in angstrom."""
    first = int(np.searchsorted(window.wavelength, low, side="left"))
    last = int(np.searchsorted(window.wavelength, high, side="right"))
    part = slice(first, last)
    return DrawnPixels(window.wavelength[part], window.flux[part], window.good[part], whole=False)


def single_line(text: str, limit: int) -> str:
    """Reduce text to one line of at most `limit` printable characters."""
    text = text[: 4 * limit]
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text)
    return shortened(" ".join(text.split()), limit)
