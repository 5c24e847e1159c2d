"""Radial velocity from lines, and by cross-correlation with a template."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from agent.spectra.measure.continuum import continuum_of
from agent.spectra.measure.line_measure import measure_line
from agent.spectra.measure.line_result import LineMeasurement
from agent.spectra.measure.measurement import Measurement, measured, refused
from agent.spectra.sampling import LIGHT_KMS, PixelGrid, sample
from agent.spectra.spectrum import FloatArray, Spectrum

VELOCITY_LINES = (
    "H_alpha",
    "H_beta",
    "H_gamma",
    "H_delta",
    "HeI_4471",
    "HeI_6678",
    "HeII_4542",
    "HeII_5411",
    "CaII_K",
    "CaI_4227",
    "FeI_4383",
    "MgI_5183",
    "FeI_5270",
    "CaII_8542",
    "CaII_8662",
)
MIN_SIGNIFICANCE = 5.0
ERROR_FLOOR_KMS = 15.0
"""Wavelength calibration and line asymmetry: no line is better than this at R 1800."""
MAX_LINE_ERROR_KMS = 150.0
STEP_KMS = 35.0
MAX_PIXELS = 60_000
MIN_OVERLAP_PX = 200
CLIP = 1.0


def velocity_from_lines(
    spectrum: Spectrum,
    lines: Sequence[str] = VELOCITY_LINES,
    velocity_kms: float = 0.0,
    search_kms: float = 500.0,
) -> Measurement:
    """Weighted median velocity of the lines that are clearly there; km/s, frame of the file."""
    found = [measure_line(spectrum, line, velocity_kms, search_kms=search_kms) for line in lines]
    usable = [line for line in found if _is_usable(line)]
    if len(usable) < 2:
        return refused("velocity", "fewer than two clear lines", "km/s")
    values = np.array([line.velocity_kms for line in usable], dtype=np.float64)
    errors = np.array([line.velocity_error_kms for line in usable], dtype=np.float64)
    errors = np.hypot(errors, ERROR_FLOOR_KMS)
    middle = _weighted_median(values, 1.0 / errors**2)
    keep = np.abs(values - middle) < 4.0 * np.maximum(errors, 50.0)
    if keep.sum() < 2:
        return refused("velocity", "the lines do not agree", "km/s")
    values, errors = values[keep], errors[keep]
    middle = _weighted_median(values, 1.0 / errors**2)
    formal = 1.2533 / math.sqrt(float((1.0 / errors**2).sum()))
    spread = 1.4826 * float(np.median(np.abs(values - middle))) / math.sqrt(values.size)
    return measured("velocity", middle, max(formal, spread), "km/s", None, int(values.size))


def cross_correlate(spectrum: Spectrum, template: Spectrum, max_kms: float = 600.0) -> Measurement:
    """Velocity of a spectrum relative to a template (at rest), within +-max_kms; km/s.

    Both are divided by their pseudo-continua. The error is Tonry & Davis' (1979) from the height
    of the peak over the antisymmetric part; a peak below twice that is refused.
    """
    low = max(spectrum.range[0], template.range[0])
    high = min(spectrum.range[1], template.range[1])
    n_pixels = int(LIGHT_KMS * math.log(high / low) / STEP_KMS) if high > low else 0
    if not MIN_OVERLAP_PX <= n_pixels <= MAX_PIXELS:
        return refused("velocity", "the spectra overlap too little", "km/s")
    grid = low * np.exp(np.arange(n_pixels) * STEP_KMS / LIGHT_KMS)
    one, other = (_prepared(sample(item), grid) for item in (spectrum, template))
    norm = math.sqrt(float(one @ one) * float(other @ other))
    if norm == 0:
        return refused("velocity", "no features to compare", "km/s")
    size = 2 ** math.ceil(math.log2(2 * n_pixels))
    product = np.fft.rfft(one, size) * np.conj(np.fft.rfft(other, size))
    correlation = np.fft.irfft(product, size) / norm
    reach = min(int(max_kms / STEP_KMS), n_pixels // 2)
    lags = np.arange(-reach, reach + 1)
    curve = correlation[lags]
    at = int(np.argmax(curve))
    if at in (0, curve.size - 1):
        return refused("velocity", "no peak within the range", "km/s")
    lag = lags[at] + _vertex(curve[at - 1 : at + 2])
    height = float(curve[at])
    shifts = np.arange(1, size // 2)
    mirrored = correlation[(int(lags[at]) - shifts) % size]
    noise = float(np.std(correlation[(int(lags[at]) + shifts) % size] - mirrored)) / math.sqrt(2)
    ratio = height / max(math.sqrt(2) * noise, 1e-9)
    if ratio < 2:
        return refused("velocity", "the correlation peak is not clear", "km/s")
    error = STEP_KMS * 3.0 / 8.0 * _peak_width(curve, at) / (1.0 + ratio)
    return measured("velocity", STEP_KMS * float(lag), error, "km/s", (low, high), n_pixels)


def _is_usable(line: LineMeasurement) -> bool:
    return (
        line.is_detected
        and line.significance > MIN_SIGNIFICANCE
        and line.velocity_error_kms is not None
        and line.velocity_error_kms < MAX_LINE_ERROR_KMS
        and not {"unsafe", "blended", "masked_core", "double_peaked"} & set(line.flags)
    )


def _prepared(sampling: PixelGrid, grid: FloatArray) -> FloatArray:
    """Flux / pseudo-continuum - 1 on the grid, clipped, with the ends faded out."""
    continuum = continuum_of(sampling)
    usable = sampling.good & (continuum > 0)
    excess = np.where(usable, sampling.flux / np.where(usable, continuum, 1.0) - 1.0, 0.0)
    values = np.clip(np.interp(grid, sampling.wavelength, excess), -CLIP, CLIP)
    fade = max(8, grid.size // 20)
    ramp = 0.5 - 0.5 * np.cos(np.pi * np.arange(fade) / fade)
    values -= values.mean()
    values[:fade] *= ramp
    values[-fade:] *= ramp[::-1]
    return np.asarray(values)


def _vertex(three: FloatArray) -> float:
    """Place of the extremum of the parabola through three points, from the middle one."""
    left, middle, right = three.tolist()
    bend = left - 2.0 * middle + right
    return 0.0 if bend == 0 else 0.5 * (left - right) / bend


def _peak_width(curve: FloatArray, at: int) -> float:
    """Full width of a correlation peak at half its height, in steps."""
    half = 0.5 * float(curve[at])
    left = np.flatnonzero(curve[:at] < half)
    right = np.flatnonzero(curve[at:] < half)
    first = int(left[-1]) if left.size else 0
    last = at + int(right[0]) if right.size else curve.size - 1
    return float(last - first)


def _weighted_median(values: FloatArray, weights: FloatArray) -> float:
    order = np.argsort(values)
    running = np.cumsum(weights[order])
    middle = running - 0.5 * weights[order]
    return float(np.interp(0.5 * running[-1], middle, values[order]))
