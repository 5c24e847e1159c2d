"""Data quality: signal-to-noise, bad and negative pixels, the step between the two arms."""

import math
from dataclasses import dataclass

import numpy as np

from agent.spectra.instrument import arm_join
from agent.spectra.measure.measurement import Measurement, measured, refused
from agent.spectra.pixel_grid import pixel_grid, scatter
from agent.spectra.spectrum import FloatArray, Spectrum

MIN_PIXELS = 5
JOIN_BLUE, JOIN_RED = (5400.0, 5690.0), (5910.0, 6200.0)
JOIN_AT = 5800.0
ARM_RANGES = {"blue": (3800.0, 5700.0), "red": (5900.0, 9000.0)}
MANY_NEGATIVE = 50  # MKCLASS refuses spectra with more negative pixels than this


@dataclass(frozen=True)
class Quality:
    """Properties of the data that limit all measurements of a spectrum."""

    snr_blue: Measurement
    snr_red: Measurement
    bad_fraction: float
    negative_fraction: float  # share of the good pixels
    join_step: Measurement
    """Relative step from the blue to the red arm at 5800 A, corrected for their slopes."""
    noise_ratio: float | None
    """Scatter of the flux divided by the errors of the file, 1 if they are right; None without."""
    warnings: tuple[str, ...]


def signal_to_noise(
    spectrum: Spectrum, lo: float | None = None, hi: float | None = None
) -> Measurement:
    """Median S/N per pixel over [lo, hi] (observed vacuum angstrom), or over all pixels.

    Uses the errors of the file, else the scatter of the flux: sharp features then lower the S/N.
    """
    first, last = spectrum.range
    lo, hi = first if lo is None else lo, last if hi is None else hi
    grid = pixel_grid(spectrum)
    where = grid.slice(lo, hi)
    good = grid.good[where]
    n_good = int(good.sum())
    if n_good < MIN_PIXELS:
        reason = "outside the spectrum" if hi <= first or lo >= last else "too few good pixels"
        return refused("S/N", reason, "", (lo, hi), n_good)
    flux, sigma = grid.flux[where][good], grid.sigma[where][good]
    value = float(np.median(flux / sigma))
    # sqrt(pi / 2 n), 1.2533 / sqrt(n), is the error of the median of n values with unit scatter.
    error = (1.2533 if grid.has_errors else 1.3 * abs(value)) / math.sqrt(n_good)
    return measured("S/N", value, error, "", (lo, hi), n_good)


def quality(spectrum: Spectrum) -> Quality:
    good = spectrum.good
    n_good = int(good.sum())
    n_negative = int((spectrum.flux[good] < 0).sum())
    snr_blue = signal_to_noise(spectrum, *ARM_RANGES["blue"])
    snr_red = signal_to_noise(spectrum, *ARM_RANGES["red"])
    step = join_step(spectrum)
    gap = _longest_gap(spectrum)
    bad_fraction = 1.0 - n_good / len(spectrum)
    warnings = []
    if bad_fraction > 0.1:
        warnings.append(f"{100 * bad_fraction:.0f} % of the pixels are bad")
    if n_negative > MANY_NEGATIVE:
        warnings.append(f"{n_negative} pixels have negative flux")
    if gap > 30:
        warnings.append(f"a gap of {gap:.0f} Å without good pixels")
    if step.value is not None and arm_join(spectrum) and abs(step.value) > 0.1:
        warnings.append(f"the arms join with a step of {100 * step.value:+.0f} %")
    return Quality(
        snr_blue=snr_blue, snr_red=snr_red, bad_fraction=bad_fraction,
        negative_fraction=n_negative / n_good if n_good else 0.0, join_step=step,
        noise_ratio=_noise_ratio(spectrum), warnings=tuple(warnings),
    )  # fmt: skip


def join_step(spectrum: Spectrum) -> Measurement:
    """(red - blue) / mean at 5800 A of straight lines fitted to both sides, for any survey."""
    window = (JOIN_BLUE[0], JOIN_RED[1])
    grid = pixel_grid(spectrum)
    sides = []
    for lo, hi in (JOIN_BLUE, JOIN_RED):
        where = grid.slice(lo, hi)
        good = grid.good[where]
        wavelength = grid.wavelength[where][good] - JOIN_AT
        covered = np.ptp(wavelength) if wavelength.size >= MIN_PIXELS else 0.0
        if covered < 0.75 * (hi - lo):
            return refused("join_step", "one side is not covered", "", window)
        sides.append(_line_at_zero(wavelength, grid.flux[where][good], grid.sigma[where][good]))
    (blue, blue_error), (red, red_error) = sides
    mean = 0.5 * (blue + red)
    error = math.hypot(blue_error, red_error)
    if not mean > 3 * error:
        return refused("join_step", "the continuum is not above the noise", "", window)
    return measured("join_step", (red - blue) / mean, error / mean, "", window)


def _line_at_zero(x: FloatArray, y: FloatArray, sigma: FloatArray) -> tuple[float, float]:
    """Value at x = 0, and its error, of an unweighted straight-line fit."""
    design = np.stack([np.ones_like(x), x], axis=1)
    inverse = np.linalg.pinv(design)
    return float(inverse[0] @ y), float(np.sqrt((inverse[0] ** 2) @ sigma**2))


def _longest_gap(spectrum: Spectrum) -> float:
    """Widest run of bad pixels between good ones, angstrom."""
    good = np.flatnonzero(spectrum.good)
    if good.size < 2:
        return 0.0
    is_gap = np.diff(good) > 1
    return float(np.diff(spectrum.wavelength[good])[is_gap].max()) if is_gap.any() else 0.0


def _noise_ratio(spectrum: Spectrum) -> float | None:
    grid = pixel_grid(spectrum)
    good = grid.good
    if not grid.has_errors or good.sum() < 2 * MIN_PIXELS:
        return None
    ratio = scatter(grid.flux, good)[good] / grid.sigma[good]
    return float(np.median(ratio))
