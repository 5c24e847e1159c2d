"""A spectrum while it is being distorted, as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import uniform_filter1d

from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum
from train.simulate.telescope.surveys import SURVEYS

MIDDLE = 5500.0
MIN_CELL_PIXELS = 5
SMOOTHED = 0.5
"""Share of a cell over which the corners of the continuum are rounded."""


@dataclass(frozen=True, eq=False, kw_only=True)
class WorkingSpectrum:
    """Arrays of a spectrum: wavelength in vacuum angstrom, `good` marks usable pixels."""

    wavelength: FloatArray
    flux: FloatArray
    ivar: FloatArray | None
    good: BoolArray
    flux_unit: str = ""
    resolution: float | None = None
    joins: tuple[float, ...] = ()

    @property
    def step(self) -> float:
        """Median pixel width, angstrom."""
        return float(np.median(np.diff(self.wavelength)))

    @property
    def edges(self) -> FloatArray:
        """Edges of the pixels, (pixels + 1,)."""
        middles = 0.5 * (self.wavelength[1:] + self.wavelength[:-1])
        first, last = 2 * self.wavelength[0] - middles[0], 2 * self.wavelength[-1] - middles[-1]
        return np.concatenate([[first], middles, [last]])

    @property
    def snr(self) -> float:
        """Median S/N per pixel; infinite without errors."""
        if self.ivar is None or not self.good.any():
            return np.inf
        return float(np.median((self.flux * np.sqrt(self.ivar))[self.good]))

    def times(self, factor: FloatArray | float) -> WorkingSpectrum:
        """With flux and errors multiplied by a factor."""
        ivar = None if self.ivar is None else self.ivar / np.square(factor)
        return replace(self, flux=self.flux * factor, ivar=ivar)

    def part(self, keep: BoolArray) -> WorkingSpectrum:
        return replace(
            self,
            wavelength=self.wavelength[keep],
            flux=self.flux[keep],
            ivar=None if self.ivar is None else self.ivar[keep],
            good=self.good[keep],
        )

    def filled(self) -> FloatArray:
        """Flux with bad pixels interpolated."""
        if self.good.all() or not self.good.any():
            return self.flux
        return np.interp(self.wavelength, self.wavelength[self.good], self.flux[self.good])


def working_copy(spectrum: Spectrum) -> WorkingSpectrum:
    profile = SURVEYS.get(spectrum.survey)
    return WorkingSpectrum(
        wavelength=spectrum.wavelength,
        flux=spectrum.flux,
        ivar=spectrum.ivar,
        good=spectrum.good,
        flux_unit=spectrum.flux_unit,
        resolution=spectrum.resolution,
        joins=profile.joins if profile else (),
    )


def finished_spectrum(working: WorkingSpectrum, before: Spectrum) -> Spectrum:
    """The spectrum `before` with the arrays of its distorted copy."""
    ivar, mask = None, None
    if working.ivar is not None:
        ivar = np.where(working.good, working.ivar, 0.0)
    elif not working.good.all():
        mask = ~working.good
    return replace(
        before,
        wavelength=working.wavelength,
        flux=working.flux,
        ivar=ivar,
        mask=mask,
        flux_unit=working.flux_unit,
        resolution=working.resolution,
    )


def continuum_level(working: WorkingSpectrum, width: float) -> FloatArray:
    """A smooth positive continuum through the medians of cells `width` angstrom wide."""
    wavelength = working.wavelength
    cells = max(2, round(float(wavelength[-1] - wavelength[0]) / width))
    borders = np.searchsorted(wavelength, np.linspace(wavelength[0], wavelength[-1], cells + 1))
    borders[-1] = wavelength.size
    middles, medians = [], []
    for first, last in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True):
        values = working.flux[first:last][working.good[first:last]]
        if values.size >= MIN_CELL_PIXELS:
            middles.append(0.5 * (wavelength[first] + wavelength[last - 1]))
            medians.append(float(np.median(values)))
    if len(middles) < 2:
        return np.full_like(wavelength, max(medians[0] if medians else 1.0, 1e-30))
    floor = max(0.05 * float(np.median(np.abs(medians))), 1e-30)
    line = _through(wavelength, np.array(middles), np.maximum(medians, floor))
    size = min(max(1, int(SMOOTHED * width / working.step)), line.size)
    # Odd reflection, so that slopes continue beyond both ends.
    padded = np.pad(line, size, mode="reflect", reflect_type="odd") if size < line.size else line
    smooth = uniform_filter1d(padded, size, mode="nearest")
    inner = smooth[size:-size] if padded.size > line.size else smooth
    return np.asarray(np.exp(inner), dtype=np.float64)


def _through(wavelength: FloatArray, middles: FloatArray, medians: FloatArray) -> FloatArray:
    """ln of the broken line through these points, extrapolated to both ends."""
    values = np.log(medians)
    line = np.interp(wavelength, middles, values)
    for outside, near, next_ in (
        (wavelength < middles[0], 0, 1),
        (wavelength > middles[-1], -1, -2),
    ):
        slope = (values[near] - values[next_]) / (middles[near] - middles[next_])
        line[outside] = values[near] + slope * (wavelength[outside] - middles[near])
    return line
