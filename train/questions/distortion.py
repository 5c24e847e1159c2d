"""Distortions that make a simulated spectrum look as if it came from anywhere.

What models read from real spectra must not hang on what the simulated telescope does alike every
time. None of these changes what class a spectrum is of: lines and bands stay visible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d

from agent.spectra.air import vacuum_to_air
from agent.spectra.spectrum import FloatArray, Spectrum
from train.questions.seen import MIDDLE, Seen, level, seen_of, spectrum_of
from train.questions.settings import DistortionSettings
from train.simulate.source import LIGHT_KMS, Rng
from train.simulate.telescope.frame import happens, log_uniform
from train.simulate.telescope.night import oxygen_depth, water_depth

Distort = Callable[[Seen, DistortionSettings, Rng], Seen]

FULL_BEND_KNOTS = 900.0
CONTRAST_WIDTH = (300.0, 1000.0)
CONTRAST_PIXELS = 2.0
"""Contrast is taken from the flux smoothed so far, as noise has none."""
AVERAGED = 2.0 * np.sqrt(np.pi)
"""Pixels that a Gaussian of sigma 1 pixel averages over."""
NOISE_SIGMAS = 2.0
JOINS = (5300.0, 6400.0)
DUST_SLOPE = (0.8, 1.7)
FWHM = 2.3548
LARGEST_PIXEL = 5.0
MIN_GOOD_PIXELS = 150


def distorted(
    spectrum: Spectrum, settings: DistortionSettings, rng: Rng
) -> tuple[Spectrum, tuple[str, ...]]:
    """The spectrum with some distortions, and their names; often none."""
    names = draw_names(settings, rng)
    seen = seen_of(spectrum)
    for name in names:
        seen = DISTORTIONS[name](seen, settings, rng)
    usable = seen.good & np.isfinite(seen.flux)
    if not names or np.count_nonzero(usable) < MIN_GOOD_PIXELS:
        return spectrum, ()
    return spectrum_of(seen, spectrum), names


def draw_names(settings: DistortionSettings, rng: Rng) -> tuple[str, ...]:
    """Which distortions, in the order in which they are applied."""
    if happens(rng, settings.untouched):
        return ()
    odds = np.array([getattr(settings, f"{name}_odds") for name in DISTORTIONS], dtype=np.float64)
    numbers = np.array(settings.numbers) / sum(settings.numbers)
    number = min(1 + int(rng.choice(numbers.size, p=numbers)), int(np.count_nonzero(odds > 0)))
    if not number:
        return ()
    drawn = rng.choice(odds.size, number, replace=False, p=odds / odds.sum())
    names = list(DISTORTIONS)
    return tuple(names[place] for place in sorted(drawn.tolist()))


def with_contrast(seen: Seen, power: float, width: float) -> Seen:
    """Continuum times (flux / continuum) ** power; what is noise stays as it is."""
    continuum = level(seen, width)
    smooth = gaussian_filter1d(seen.filled(), CONTRAST_PIXELS, mode="nearest")
    line = smooth / continuum - 1.0
    if seen.ivar is not None:
        weight = np.where(seen.good, seen.ivar, 0.0) * continuum**2
        noise = 1.0 / np.maximum(weight * AVERAGED * CONTRAST_PIXELS, 1e-12)
        line *= line**2 / (line**2 + NOISE_SIGMAS**2 * noise)
    return seen.times(np.clip(1.0 + line, 0.05, 20.0) ** (power - 1.0))


def bent(seen: Seen, largest: float, knots: float, rng: Rng) -> Seen:
    """Times a smooth curve through knots that many angstrom apart."""
    low, high = float(seen.wavelength[0]), float(seen.wavelength[-1])
    number = max(4, round((high - low) / knots) + 1)
    moved = largest * min(1.0, knots / FULL_BEND_KNOTS)
    curve = CubicSpline(np.linspace(low, high, number), rng.uniform(-moved, moved, number))
    return seen.times(np.exp(np.clip(curve(seen.wavelength), -1.5 * moved, 1.5 * moved)))


def dusted(seen: Seen, depth: float, slope: float) -> Seen:
    """Reddened, or dereddened where `depth` (at 5500 A) is negative; 1 at 5500 A."""
    return seen.times(np.exp(-depth * ((MIDDLE / seen.wavelength) ** slope - 1.0)))


def stepped(seen: Seen, join: float, step: float) -> Seen:
    return seen.times(np.where(seen.wavelength > join, 1.0 + step, 1.0))


def with_bands_left(seen: Seen, left: float, water: float) -> Seen:
    """Oxygen taken out of the flux again, and `water` as much of water."""
    depth = left * (oxygen_depth(seen.wavelength) + water * water_depth(seen.wavelength))
    return replace(seen, flux=seen.flux * (1.0 - np.clip(depth, -0.5, 0.95)))


def blurred(seen: Seen, sigma_pixels: float, coarsest: float) -> Seen:
    """Flux alone: files that were smoothed seldom say so in their errors."""
    own = MIDDLE / seen.resolution if seen.resolution else 0.0
    room = np.sqrt(max(coarsest**2 - own**2, 0.0))
    fwhm = min(FWHM * sigma_pixels * seen.step, float(room))
    if fwhm < 0.1 * seen.step:
        return seen
    flux = gaussian_filter1d(seen.filled(), fwhm / FWHM / seen.step, mode="nearest")
    resolution = MIDDLE / float(np.hypot(own, fwhm)) if seen.resolution else None
    return replace(seen, flux=flux, resolution=resolution)


def resampled(seen: Seen, edges: FloatArray) -> Seen:
    """Mean flux density between the edges of new pixels; half of a pixel must have been good."""
    old, width = seen.edges, np.diff(edges)
    old_width = np.diff(old)

    def mean(values: FloatArray) -> FloatArray:
        total = np.concatenate([[0.0], np.cumsum(values * old_width)])
        return np.asarray(np.diff(np.interp(edges, old, total)) / width, dtype=np.float64)

    weight = mean(seen.good.astype(np.float64))
    good = weight > 0.5
    ivar = None
    if seen.ivar is not None:
        with np.errstate(divide="ignore"):
            variance = mean(np.where(seen.good, 1.0 / seen.ivar, 0.0)) / np.maximum(weight, 1e-9)
        fewer = np.minimum(1.0, float(np.median(old_width)) / width)
        usable = good & (variance > 0)
        ivar = np.where(usable, 1.0 / np.where(usable, variance * fewer, 1.0), 0.0)
    return replace(
        seen,
        wavelength=0.5 * (edges[1:] + edges[:-1]),
        flux=mean(seen.filled()),
        ivar=ivar,
        good=good,
    )


def shifted(seen: Seen, pixels: float = 0.0, kms: float = 0.0) -> Seen:
    by = pixels * np.gradient(seen.wavelength) + seen.wavelength * kms / LIGHT_KMS
    return replace(seen, wavelength=seen.wavelength + by)


def air_as_vacuum(seen: Seen) -> Seen:
    return replace(seen, wavelength=vacuum_to_air(seen.wavelength))


def with_dead_block(seen: Seen, low: float, high: float, value: float | None) -> Seen:
    """No weight from `low` to `high`; flux becomes `value` there, or stays where that is None."""
    dead = (seen.wavelength >= low) & (seen.wavelength <= high)
    flux = seen.flux if value is None else np.where(dead, value, seen.flux)
    ivar = None if seen.ivar is None else np.where(dead, 0.0, seen.ivar)
    return replace(seen, flux=flux, ivar=ivar, good=seen.good & ~dead)


def cut_to(seen: Seen, low: float, high: float) -> Seen:
    return seen.part((seen.wavelength >= low) & (seen.wavelength <= high))


def without_errors(seen: Seen) -> Seen:
    """Errors gone; bad pixels stay marked, but for dead ends, which are cut off."""
    places = np.flatnonzero(seen.good)
    if not places.size:
        return seen
    keep = np.zeros_like(seen.good)
    keep[places[0] : places[-1] + 1] = True
    return replace(seen.part(keep), ivar=None)


def flattened(seen: Seen, width: float | None) -> Seen:
    """Divided by a continuum through points that many angstrom apart, or else by its median."""
    if width is not None:
        return replace(seen.times(1.0 / level(seen, width)), flux_unit="")
    median = float(np.median(seen.flux[seen.good])) if seen.good.any() else 0.0
    return replace(seen.times(1.0 / median), flux_unit="") if median > 0 else seen


def _contrast(seen: Seen, settings: DistortionSettings, rng: Rng) -> Seen:
    power = log_uniform(rng, settings.contrast)
    if seen.snr < settings.gentle_below_snr:
        power = max(power, 1.0 / power)
    return with_contrast(seen, power, log_uniform(rng, CONTRAST_WIDTH))


def _bend(seen: Seen, settings: DistortionSettings, rng: Rng) -> Seen:
    largest, knots = log_uniform(rng, settings.bend), log_uniform(rng, settings.bend_knots)
    return bent(seen, largest, knots, rng)


def _dust(seen: Seen, settings: DistortionSettings, rng: Rng) -> Seen:
    return dusted(seen, float(rng.uniform(*settings.dust)), float(rng.uniform(*DUST_SLOPE)))


def _step(seen: Seen, settings: DistortionSettings, rng: Rng) -> Seen:
    join = float(rng.uniform(*JOINS))
    if seen.joins and happens(rng, 0.7):
        join = seen.joins[int(rng.integers(len(seen.joins)))]
    return stepped(seen, join, float(rng.uniform(-settings.step, settings.step)))


def _telluric(seen: Seen, settings: DistortionSettings, rng: Rng) -> Seen:
    return with_bands_left(seen, float(rng.uniform(*settings.telluric)), float(rng.uniform(0, 1)))


def _blur(seen: Seen, settings: DistortionSettings, rng: Rng) -> Seen:
    return blurred(seen, log_uniform(rng, settings.blur_pixels), settings.coarsest_angstrom)


def _resample(seen: Seen, settings: DistortionSettings, rng: Rng) -> Seen:
    old = seen.step
    finest = MIDDLE / seen.resolution / 2.0 if seen.resolution else LARGEST_PIXEL
    largest = max(old, min(finest, LARGEST_PIXEL))
    pixel = min(old * log_uniform(rng, settings.resample), largest)
    low, high = float(seen.wavelength[0]), float(seen.wavelength[-1])
    if happens(rng, 0.5):
        return resampled(seen, np.arange(low, high, pixel))
    return resampled(seen, np.exp(np.arange(np.log(low), np.log(high), pixel / MIDDLE)))


def _slip(seen: Seen, settings: DistortionSettings, rng: Rng) -> Seen:
    if happens(rng, settings.slip_air):
        return air_as_vacuum(seen)
    by = float(rng.uniform(-1.0, 1.0))
    if happens(rng, 0.5):
        return shifted(seen, pixels=by * settings.slip_pixels)
    return shifted(seen, kms=by * settings.slip_kms)


def _block(seen: Seen, settings: DistortionSettings, rng: Rng) -> Seen:
    width = log_uniform(rng, settings.block)
    low = float(rng.uniform(seen.wavelength[0], seen.wavelength[-1] - width))
    return with_dead_block(seen, low, low + width, 0.0 if happens(rng, 0.5) else None)


def _cut(seen: Seen, settings: DistortionSettings, rng: Rng) -> Seen:
    kept = settings.cut_deep_to if happens(rng, settings.cut_deep) else settings.cut_to
    low, high = float(seen.wavelength[0]), float(seen.wavelength[-1])
    ends = int(rng.integers(3))
    if ends != 0:
        low = float(rng.uniform(low, max(low, kept[0])))
    if ends != 1:
        high = float(rng.uniform(min(high, kept[1]), high))
    return cut_to(seen, low, high)


def _errors(seen: Seen, settings: DistortionSettings, rng: Rng) -> Seen:
    if happens(rng, settings.errors_missing):
        return without_errors(seen)
    factor = log_uniform(rng, settings.errors)
    return seen if seen.ivar is None else replace(seen, ivar=seen.ivar * factor)


def _flat(seen: Seen, settings: DistortionSettings, rng: Rng) -> Seen:
    width = log_uniform(rng, settings.flat_width)
    return flattened(seen, width if happens(rng, settings.flat_by_continuum) else None)


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
"""In the order of what happens to light: sky, telescope, reduction, file."""
