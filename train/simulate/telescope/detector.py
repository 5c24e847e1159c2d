"""Detector defects: cosmic rays, runs of masked pixels, dead blocks, flagged windows."""

import numpy as np

from agent.spectra.spectrum import FloatArray
from train.simulate.source import Rng
from train.simulate.telescope.instrument import CURVE_TERMS, pixels_between
from train.simulate.telescope.observation import Frame, happens, log_uniform
from train.simulate.telescope.surveys import Profile

# The first LAMOST releases state errors about three times too large in these windows.
INFLATED_WINDOWS = (
    (3926, 3946), (3962, 3982), (4094, 4113), (4296, 4316), (4332, 4352), (4853, 4873),
    (5168, 5187), (6555, 6575), (8492, 8510), (8535, 8554), (8656, 8675),
)  # fmt: skip
FLAGGED_OXYGEN = (7581.0, 7681.0)


def inflate_window_errors(frame: Frame, rng: Rng) -> None:
    if not _is_early(frame, ("DR1", "DR2")):
        return
    factor = rng.uniform(7.0, 11.0)
    for low, high in INFLATED_WINDOWS:
        frame.variance[pixels_between(frame.wavelength, low, high)] *= factor
    frame.record["doubted_windows"] = round(float(factor), 2)


def add_cosmic_rays(frame: Frame, rng: Rng) -> None:
    """Add spikes of 1 to 3 pixels, rarely negative; the pipeline masks some of them."""
    count = int(rng.poisson(frame.quality.cosmic_mean))
    frame.record["cosmics"] = count
    for _ in range(count):
        pixel = int(rng.integers(2, frame.flux.size - 4))
        hit = slice(pixel, pixel + int(rng.integers(1, 4)))
        height = float(np.sqrt(frame.variance[pixel])) * np.exp(rng.uniform(1.5, 4.0))
        frame.flux[hit] += height * (1.0 if happens(rng, 0.85) else -1.0)
        if happens(rng, 0.4):
            frame.bad[hit] = True


def mask_short_runs(frame: Frame, rng: Rng) -> None:
    """Mask short runs of about six pixels; in a third of them the flux collapses."""
    mean, sigma = frame.quality.bad_runs
    count = int(min(np.exp(mean + sigma * rng.standard_normal()), 60))
    frame.record["bad_runs"] = count
    for _ in range(count):
        # The blue camera is worse: two of three runs fall into the blue half.
        x = rng.random()
        pixel = int((x * x if happens(rng, 0.5) else x) * (frame.flux.size - 20))
        length = 6 if happens(rng, 0.6) else int(rng.integers(5, 19))
        frame.bad[pixel : pixel + length] = True
        if happens(rng, 0.35):
            middle = pixel + length // 2
            is_negative = happens(rng, 0.15)
            factor = rng.uniform(-0.3, 0.0) if is_negative else max(rng.uniform(-0.5, 0.6), 0.0)
            frame.flux[middle - 1 : middle + int(rng.integers(0, 3))] *= factor
        if happens(rng, 0.3):
            frame.masked[pixel : pixel + length] = True


def add_dead_block(frame: Frame, rng: Rng) -> None:
    """Add a stretch of zeros, usually near the join of the two arms."""
    if not happens(rng, frame.quality.dead_block_odds):
        return
    length = int(np.exp(rng.uniform(*np.log(frame.quality.dead_block_pixels))))
    join = frame.instrument.profile.joins[0]
    end = int(np.searchsorted(frame.wavelength, join + rng.uniform(-700.0, 110.0)))
    block = slice(max(end - length, 0), end)
    frame.flux[block] = 0.0
    frame.bad[block] = frame.masked[block] = True
    frame.record["dead_block_pixels"] = end - block.start


def add_dead_end(frame: Frame, rng: Rng) -> None:
    """Set the reddest pixels to zero and make the few before them noisy."""
    reaches_end = frame.wavelength[-1] > 0.99 * frame.instrument.profile.wavelength[-1]
    if not (reaches_end and happens(rng, frame.quality.end_block_odds)):
        return
    length = int(rng.integers(8, 40))
    wild = slice(-length - 8, -length)
    frame.flux[wild] += rng.standard_normal(8) * 6.0 * np.sqrt(frame.variance[wild])
    frame.flux[-length:] = 0.0
    frame.bad[-length - int(rng.integers(0, 30)) :] = True
    frame.record["end_block_pixels"] = length


def mask_early_lamost(frame: Frame, rng: Rng) -> None:
    """Mask what early LAMOST releases mask: oxygen, the red end, and a faint blue end."""
    if not _is_early(frame, ("DR1",)):
        return
    w = frame.wavelength
    frame.bad[pixels_between(w, *FLAGGED_OXYGEN)] = True
    frame.bad[int(np.searchsorted(w, rng.uniform(9000.0, 9060.0))) :] = True
    blue = int(np.searchsorted(w, 4600.0))
    snr = frame.flux[:blue] / np.sqrt(frame.variance[:blue])
    frame.bad[:blue] |= snr < 1.5


def _is_early(frame: Frame, releases: tuple[str, ...]) -> bool:
    return frame.instrument.profile.name == "LAMOST" and frame.release in releases


# Photon, sky and read-out noise: its size, its correlation, and the variance the file states.
FLOOR = 1e-9
Electrons = tuple[float, float, float]
"""Per pixel at 6500 A, of the object and the sky, and the read-out variance."""


def electrons_for_snr(snr: float, background: float) -> float:
    """Object electrons per pixel that give this S/N over a Poisson variance of `background`."""
    return 0.5 * (snr**2 + float(np.sqrt(snr**4 + 4.0 * snr**2 * background)))


def draw_exposure(profile: Profile, snr: float, rng: Rng) -> Electrons:
    sky = log_uniform(rng, profile.sky_electrons)
    read = float(rng.uniform(*profile.read_variance))
    return electrons_for_snr(snr, sky + read), sky, read


def stated_variance(
    flux: FloatArray, sensitivity: FloatArray, brightness: FloatArray, electrons: Electrons
) -> FloatArray:
    """sigma^2 = a F + b(lambda) in units of the r-band flux; b is sky and read-out noise."""
    target, sky, read = electrons
    counts = sensitivity * (np.maximum(flux, 0.0) * target + brightness * sky) + read
    return counts / (sensitivity * target) ** 2


def set_snr(frame: Frame) -> None:
    """Scale the variance to the requested median S/N per pixel in the r band."""
    reference = frame.reference
    current = float(np.median(frame.flux[reference] / np.sqrt(frame.variance[reference])))
    if current > FLOOR:
        frame.variance *= (current / frame.snr) ** 2


def correlated(rng: Rng, pixels: int, neighbours: tuple[float, float]) -> FloatArray:
    """Noise of unit variance in which each pixel is mixed with its two neighbours on each side."""
    one, two = neighbours
    white = rng.standard_normal(pixels + 4)
    if one == 0.0 and two == 0.0:
        return white[2:-2]
    mixed = white[2:-2] + one * (white[1:-3] + white[3:-1]) + two * (white[:-4] + white[4:])
    return mixed / np.sqrt(1.0 + 2.0 * one * one + 2.0 * two * two)


def rounded_to_12_bits(values: FloatArray) -> FloatArray:
    """Values rounded to 12 bits: weights are not known better than 1e-4, and files get smaller."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + np.uint32(1 << 10)) & np.uint32(0xFFFFF800)).view(np.float32).astype(np.float64)


def add_noise(frame: Frame, rng: Rng) -> None:
    """Add noise whose size differs smoothly from the stated variance, as in real files."""
    profile = frame.instrument.profile
    level = profile.noise_over_reported[0] + profile.noise_over_reported[1] * rng.standard_normal()
    truth = np.exp(level + smooth_curve(rng, frame.instrument.curves, frame.quality.ivar_spread))
    noise = correlated(rng, frame.flux.size, profile.correlation)
    frame.flux += noise * truth * np.sqrt(frame.variance)
    frame.record["noise_over_stated"] = round(float(np.exp(level)), 3)


# Errors of the relative flux: smooth curves, a poor blue end, and joins between the cameras.
_FALL = 1.0 / np.arange(1, CURVE_TERMS + 1) ** 1.4


def smooth_curve(rng: Rng, curves: FloatArray, sigma: float) -> FloatArray:
    """A random smooth curve around 0; `sigma` is that of its lowest and largest term."""
    return curves @ (sigma * _FALL * rng.standard_normal(CURVE_TERMS))


def add_calibration_error(frame: Frame, rng: Rng) -> None:
    quality, w = frame.quality, frame.wavelength
    sigma = quality.calibration
    if happens(rng, quality.calibration_tail_odds):
        sigma *= quality.calibration_tail
    error = smooth_curve(rng, frame.instrument.curves, sigma)
    blue = quality.blue_error * float(rng.standard_normal())
    edge = int(np.searchsorted(w, 4000.0))
    error[:edge] += blue * ((4000.0 - w[:edge]) / 300.0) ** 1.5
    _scale(frame, np.exp(error))
    frame.record["calibration_end_to_end"] = round(float(np.expm1(error[-1] - error[edge])), 4)
    frame.record["calibration_blue"] = round(blue, 4)


def add_join_steps(frame: Frame, rng: Rng) -> None:
    """Add a step and a change of slope where two cameras join."""
    quality, w = frame.quality, frame.wavelength
    for number, join in enumerate(frame.instrument.profile.joins):
        step = float(np.clip(quality.join_step * rng.standard_t(4), -0.3, 0.3))
        slope = quality.join_slope * float(rng.standard_normal())
        width = rng.uniform(3.0, 40.0)
        wavelength = join + rng.uniform(-60.0, 60.0)
        start = int(np.searchsorted(w, wavelength - 4 * width))
        after = w[start:]
        ramp = 1.0 / (1.0 + np.exp(-(after - wavelength) / width))
        factor = np.ones_like(w)
        factor[start:] = (1.0 + step * ramp) * (1.0 + slope * ramp * (after / wavelength - 1.0))
        if happens(rng, quality.join_bump_odds):
            factor *= _join_bump(frame, rng, wavelength, number)
        _scale(frame, factor)
        frame.record[f"join_step_{number}"] = round(step, 4)


def _join_bump(frame: Frame, rng: Rng, wavelength: float, number: int) -> FloatArray:
    """Factor of a bump or dip redward of a join, steep on its blue side; sometimes a spike."""
    height = rng.uniform(*frame.quality.join_bump) * (1.0 if happens(rng, 0.75) else -1.0)
    centre = wavelength + rng.uniform(30.0, 170.0)
    offset = frame.wavelength - centre
    sharp = 0.12 if happens(rng, 0.15) else 1.0
    rise, fall = sharp * rng.uniform(12.0, 40.0), sharp * rng.uniform(30.0, 90.0)
    width = np.where(offset < 0, rise, fall)
    frame.record[f"join_bump_{number}"] = round(float(height), 3)
    return 1.0 + height * np.exp(-0.5 * (offset / width) ** 2)


def _scale(frame: Frame, factor: FloatArray) -> None:
    frame.flux *= factor
    frame.variance *= factor * factor
