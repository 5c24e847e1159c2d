"""Distortions that make a simulated spectrum look as if it came from any source.

Models must not depend on features that all simulated observations share. No distortion changes the
class of a spectrum: lines and bands stay visible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d, uniform_filter1d

from agent.spectra.air import vacuum_to_air
from agent.spectra.spectrum import BoolArray, FloatArray, Spectrum
from train.questions.settings import DistortionSettings
from train.simulate.source import LIGHT_KMS, Rng
from train.simulate.telescope.night import oxygen_depth, water_depth
from train.simulate.telescope.observation import happens, log_uniform
from train.simulate.telescope.surveys import SURVEYS

MIDDLE = 5500.0
MIN_CELL_PIXELS = 5
SMOOTHED = 0.5  # share of a cell over which the corners of the continuum are rounded


# A spectrum while it is being distorted, as plain arrays.
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
        wavelength, flux, good = self.wavelength[keep], self.flux[keep], self.good[keep]
        ivar = None if self.ivar is None else self.ivar[keep]
        return replace(self, wavelength=wavelength, flux=flux, ivar=ivar, good=good)

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
    ends = (wavelength < middles[0], 0, 1), (wavelength > middles[-1], -1, -2)
    for outside, near, next_ in ends:
        slope = (values[near] - values[next_]) / (middles[near] - middles[next_])
        line[outside] = values[near] + slope * (wavelength[outside] - middles[near])
    return line


Distort = Callable[[WorkingSpectrum, DistortionSettings, Rng], WorkingSpectrum]

FULL_BEND_KNOTS = 900.0
CONTRAST_WIDTH = (300.0, 1000.0)
CONTRAST_PIXELS = 2.0
"""Sigma of the smoothing before contrast is measured, so that noise does not count as contrast."""
AVERAGED = 2.0 * np.sqrt(np.pi)  # number of pixels averaged by a Gaussian with a sigma of 1 pixel
NOISE_SIGMAS = 2.0
JOINS = (5300.0, 6400.0)
DUST_SLOPE = (0.8, 1.7)
FWHM = 2.3548
LARGEST_PIXEL = 5.0
MIN_GOOD_PIXELS = 150


def distorted(
    spectrum: Spectrum, settings: DistortionSettings, rng: Rng
) -> tuple[Spectrum, tuple[str, ...]]:
    """The spectrum with some distortions, often none, and their names."""
    names = draw_names(settings, rng)
    working = working_copy(spectrum)
    for name in names:
        working = DISTORTIONS[name](working, settings, rng)
    usable = working.good & np.isfinite(working.flux)
    if not names or np.count_nonzero(usable) < MIN_GOOD_PIXELS:
        return spectrum, ()
    return finished_spectrum(working, spectrum), names


def draw_names(settings: DistortionSettings, rng: Rng) -> tuple[str, ...]:
    """Random distortions, in the order in which they are applied."""
    if happens(rng, settings.untouched):
        return ()
    odds = np.array([getattr(settings, f"{name}_odds") for name in DISTORTIONS], dtype=np.float64)
    numbers = np.array(settings.numbers) / sum(settings.numbers)
    number = min(1 + int(rng.choice(numbers.size, p=numbers)), int(np.count_nonzero(odds > 0)))
    if not number:
        return ()
    drawn = rng.choice(odds.size, number, replace=False, p=odds / odds.sum())
    names = list(DISTORTIONS)
    return tuple(names[index] for index in sorted(drawn.tolist()))


def with_contrast(working: WorkingSpectrum, power: float, width: float) -> WorkingSpectrum:
    """Continuum times (flux / continuum) ** power, applied to lines but not to noise."""
    continuum = continuum_level(working, width)
    smooth = gaussian_filter1d(working.filled(), CONTRAST_PIXELS, mode="nearest")
    line = smooth / continuum - 1.0
    if working.ivar is not None:
        weight = np.where(working.good, working.ivar, 0.0) * continuum**2
        noise = 1.0 / np.maximum(weight * AVERAGED * CONTRAST_PIXELS, 1e-12)
        line *= line**2 / (line**2 + NOISE_SIGMAS**2 * noise)
    return working.times(np.clip(1.0 + line, 0.05, 20.0) ** (power - 1.0))


def bent(working: WorkingSpectrum, largest: float, knots: float, rng: Rng) -> WorkingSpectrum:
    """Multiplied by a smooth curve with knots at this distance, in angstrom."""
    low, high = float(working.wavelength[0]), float(working.wavelength[-1])
    number = max(4, round((high - low) / knots) + 1)
    moved = largest * min(1.0, knots / FULL_BEND_KNOTS)
    curve = CubicSpline(np.linspace(low, high, number), rng.uniform(-moved, moved, number))
    return working.times(np.exp(np.clip(curve(working.wavelength), -1.5 * moved, 1.5 * moved)))


def dusted(working: WorkingSpectrum, depth: float, slope: float) -> WorkingSpectrum:
    """Reddened, or dereddened for a negative `depth` at 5500 A; the flux there stays the same."""
    return working.times(np.exp(-depth * ((MIDDLE / working.wavelength) ** slope - 1.0)))


def stepped(working: WorkingSpectrum, join: float, step: float) -> WorkingSpectrum:
    return working.times(np.where(working.wavelength > join, 1.0 + step, 1.0))


def with_bands_left(working: WorkingSpectrum, left: float, water: float) -> WorkingSpectrum:
    """With a share `left` of the oxygen bands absorbed, and `water` times that share of water."""
    depth = left * (oxygen_depth(working.wavelength) + water * water_depth(working.wavelength))
    return replace(working, flux=working.flux * (1.0 - np.clip(depth, -0.5, 0.95)))


def blurred(working: WorkingSpectrum, sigma_pixels: float, coarsest: float) -> WorkingSpectrum:
    """Blurred in flux only: smoothed files seldom adapt their errors."""
    own = MIDDLE / working.resolution if working.resolution else 0.0
    room = np.sqrt(max(coarsest**2 - own**2, 0.0))
    fwhm = min(FWHM * sigma_pixels * working.step, float(room))
    if fwhm < 0.1 * working.step:
        return working
    flux = gaussian_filter1d(working.filled(), fwhm / FWHM / working.step, mode="nearest")
    resolution = MIDDLE / float(np.hypot(own, fwhm)) if working.resolution else None
    return replace(working, flux=flux, resolution=resolution)


def resampled(working: WorkingSpectrum, edges: FloatArray) -> WorkingSpectrum:
    """Mean flux density in new pixels, which are good if more than half of them was good."""
    old, width = working.edges, np.diff(edges)
    old_width = np.diff(old)

    def mean(values: FloatArray) -> FloatArray:
        total = np.concatenate([[0.0], np.cumsum(values * old_width)])
        return np.asarray(np.diff(np.interp(edges, old, total)) / width, dtype=np.float64)

    weight = mean(working.good.astype(np.float64))
    good = weight > 0.5
    ivar = None
    if working.ivar is not None:
        with np.errstate(divide="ignore"):
            total = mean(np.where(working.good, 1.0 / working.ivar, 0.0))
        variance = total / np.maximum(weight, 1e-9)
        fewer = np.minimum(1.0, float(np.median(old_width)) / width)
        usable = good & (variance > 0)
        ivar = np.where(usable, 1.0 / np.where(usable, variance * fewer, 1.0), 0.0)
    middles, flux = 0.5 * (edges[1:] + edges[:-1]), mean(working.filled())
    return replace(working, wavelength=middles, flux=flux, ivar=ivar, good=good)


def shifted(working: WorkingSpectrum, pixels: float = 0.0, kms: float = 0.0) -> WorkingSpectrum:
    by = pixels * np.gradient(working.wavelength) + working.wavelength * kms / LIGHT_KMS
    return replace(working, wavelength=working.wavelength + by)


def air_as_vacuum(working: WorkingSpectrum) -> WorkingSpectrum:
    return replace(working, wavelength=vacuum_to_air(working.wavelength))


def with_dead_pixels(
    working: WorkingSpectrum, dead: BoolArray, value: float | None
) -> WorkingSpectrum:
    """Masked where `dead`, with the flux set to `value` there unless that is None."""
    flux = working.flux if value is None else np.where(dead, value, working.flux)
    ivar = None if working.ivar is None else np.where(dead, 0.0, working.ivar)
    return replace(working, flux=flux, ivar=ivar, good=working.good & ~dead)


def without_errors(working: WorkingSpectrum) -> WorkingSpectrum:
    """Without errors; bad pixels stay masked, except at the ends, which are cut off."""
    good = np.flatnonzero(working.good)
    if not good.size:
        return working
    keep = np.zeros_like(working.good)
    keep[good[0] : good[-1] + 1] = True
    return replace(working.part(keep), ivar=None)


def flattened(working: WorkingSpectrum, width: float | None) -> WorkingSpectrum:
    """Divided by a continuum of this width, in angstrom, or by the median if it is None."""
    if width is not None:
        return replace(working.times(1.0 / continuum_level(working, width)), flux_unit="")
    median = float(np.median(working.flux[working.good])) if working.good.any() else 0.0
    return replace(working.times(1.0 / median), flux_unit="") if median > 0 else working


def _contrast(working: WorkingSpectrum, settings: DistortionSettings, rng: Rng) -> WorkingSpectrum:
    power = log_uniform(rng, settings.contrast)
    if working.snr < settings.gentle_below_snr:
        power = max(power, 1.0 / power)
    return with_contrast(working, power, log_uniform(rng, CONTRAST_WIDTH))


def _bend(working: WorkingSpectrum, settings: DistortionSettings, rng: Rng) -> WorkingSpectrum:
    largest, knots = log_uniform(rng, settings.bend), log_uniform(rng, settings.bend_knots)
    return bent(working, largest, knots, rng)


def _dust(working: WorkingSpectrum, settings: DistortionSettings, rng: Rng) -> WorkingSpectrum:
    return dusted(working, float(rng.uniform(*settings.dust)), float(rng.uniform(*DUST_SLOPE)))


def _step(working: WorkingSpectrum, settings: DistortionSettings, rng: Rng) -> WorkingSpectrum:
    join = float(rng.uniform(*JOINS))
    if working.joins and happens(rng, 0.7):
        join = working.joins[int(rng.integers(len(working.joins)))]
    return stepped(working, join, float(rng.uniform(-settings.step, settings.step)))


def _telluric(working: WorkingSpectrum, settings: DistortionSettings, rng: Rng) -> WorkingSpectrum:
    left, water = float(rng.uniform(*settings.telluric)), float(rng.uniform(0, 1))
    return with_bands_left(working, left, water)


def _blur(working: WorkingSpectrum, settings: DistortionSettings, rng: Rng) -> WorkingSpectrum:
    return blurred(working, log_uniform(rng, settings.blur_pixels), settings.coarsest_angstrom)


def _resample(working: WorkingSpectrum, settings: DistortionSettings, rng: Rng) -> WorkingSpectrum:
    old = working.step
    finest = MIDDLE / working.resolution / 2.0 if working.resolution else LARGEST_PIXEL
    largest = max(old, min(finest, LARGEST_PIXEL))
    pixel = min(old * log_uniform(rng, settings.resample), largest)
    low, high = float(working.wavelength[0]), float(working.wavelength[-1])
    if happens(rng, 0.5):
        return resampled(working, np.arange(low, high, pixel))
    return resampled(working, np.exp(np.arange(np.log(low), np.log(high), pixel / MIDDLE)))


def _slip(working: WorkingSpectrum, settings: DistortionSettings, rng: Rng) -> WorkingSpectrum:
    if happens(rng, settings.slip_air):
        return air_as_vacuum(working)
    by = float(rng.uniform(-1.0, 1.0))
    if happens(rng, 0.5):
        return shifted(working, pixels=by * settings.slip_pixels)
    return shifted(working, kms=by * settings.slip_kms)


def _block(working: WorkingSpectrum, settings: DistortionSettings, rng: Rng) -> WorkingSpectrum:
    width = log_uniform(rng, settings.block)
    low = float(rng.uniform(working.wavelength[0], working.wavelength[-1] - width))
    dead = (working.wavelength >= low) & (working.wavelength <= low + width)
    return with_dead_pixels(working, dead, 0.0 if happens(rng, 0.5) else None)


def _cut(working: WorkingSpectrum, settings: DistortionSettings, rng: Rng) -> WorkingSpectrum:
    kept = settings.cut_deep_to if happens(rng, settings.cut_deep) else settings.cut_to
    low, high = float(working.wavelength[0]), float(working.wavelength[-1])
    ends = int(rng.integers(3))
    if ends != 0:
        low = float(rng.uniform(low, max(low, kept[0])))
    if ends != 1:
        high = float(rng.uniform(min(high, kept[1]), high))
    return working.part((working.wavelength >= low) & (working.wavelength <= high))


def _errors(working: WorkingSpectrum, settings: DistortionSettings, rng: Rng) -> WorkingSpectrum:
    if happens(rng, settings.errors_missing):
        return without_errors(working)
    factor = log_uniform(rng, settings.errors)
    return working if working.ivar is None else replace(working, ivar=working.ivar * factor)


def _flat(working: WorkingSpectrum, settings: DistortionSettings, rng: Rng) -> WorkingSpectrum:
    width = log_uniform(rng, settings.flat_width)
    return flattened(working, width if happens(rng, settings.flat_by_continuum) else None)


DISTORTIONS: dict[str, Distort] = {
    "contrast": _contrast,
    "bend": _bend,
    "dust": _dust,
    "step": _step,
    "telluric": _telluric,
    "blur": _blur,
    "resample": _resample,
    "slip": _slip,
    "block": _block,
    "cut": _cut,
    "errors": _errors,
    "flat": _flat,
}
"""In the order in which light is affected: sky, telescope, reduction, file."""


# Part of a spectrum, as much as one arm, two short arms or a broken detector would leave of it.
ARM = (300.0, 3500.0)
"""Angstrom; a longer one shows nearly as much as the whole."""
SHORT_ARMS = (4950.0, 5350.0), (6300.0, 6800.0)  # of LAMOST's medium resolution
GAP = (100.0, 1500.0)
FEWEST = 60  # good pixels from which on a part is worth a question


def with_part_of(spectrum: Spectrum, rng: Rng) -> Spectrum:
    """The spectrum with a part of it missing, or as it is if too little would be left."""
    keep = PARTS[int(rng.integers(len(PARTS)))](spectrum.wavelength, rng)
    if np.count_nonzero(keep & spectrum.good) < FEWEST:
        return spectrum
    working = working_copy(spectrum)
    if happens(rng, 0.5) and keep[[0, -1]].all():
        left = with_dead_pixels(working, ~keep, 0.0 if happens(rng, 0.5) else None)
    else:
        left = working.part(keep)
    return finished_spectrum(left, spectrum)


def _arm(wavelength: FloatArray, rng: Rng) -> BoolArray:
    length = log_uniform(rng, ARM)
    first, last = float(wavelength[0]), float(wavelength[-1])
    low = float(rng.uniform(first - length / 4, max(first, last - 3 * length / 4)))
    return (wavelength >= low) & (wavelength <= low + length)


def _one_side(wavelength: FloatArray, rng: Rng) -> BoolArray:
    join = float(rng.uniform(*JOINS))
    return wavelength <= join if happens(rng, 0.4) else wavelength >= join


def _short_arms(wavelength: FloatArray, rng: Rng) -> BoolArray:
    arms = SHORT_ARMS if happens(rng, 0.8) else SHORT_ARMS[int(rng.integers(2)) :][:1]
    inside = [(wavelength >= low) & (wavelength <= high) for low, high in arms]
    return np.any(inside, axis=0)


def _gap(wavelength: FloatArray, rng: Rng) -> BoolArray:
    length = log_uniform(rng, GAP)
    low = float(rng.uniform(wavelength[0], max(wavelength[0], wavelength[-1] - length)))
    return (wavelength < low) | (wavelength > low + length)


PARTS: tuple[Callable[[FloatArray, Rng], BoolArray], ...] = (
    _arm, _arm, _one_side, _one_side, _short_arms, _gap,
)  # fmt: skip
