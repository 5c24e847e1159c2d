"""Bias and pull of EW, FWHM and depth of known lines: `python -m tests.bench.measurement_table`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

from agent.spectra.measure.line_measure import measure_line
from agent.spectra.smoothing import FWHM_PER_SIGMA
from agent.spectra.spectrum import FloatArray, Spectrum
from tests.agent.spectra.measure.known_lines import (
    BROAD,
    H_ALPHA,
    H_BETA,
    KnownLine,
    both,
    double_peak,
    gaussian,
    observed,
    stark,
)

N_DRAWS = 200


@dataclass(frozen=True)
class Row:
    """Relative bias and scatter, and the scatter of (measured - true) / quoted error."""

    line: str
    snr: int
    found: float
    ew_bias: float
    ew_scatter: float
    ew_pull: float
    fwhm_bias: float
    fwhm_scatter: float
    fwhm_pull: float
    centre_pull: float


def measure(line: KnownLine, snr: int, n_draws: int = N_DRAWS, seed: int = 7) -> Row:
    rng = np.random.default_rng([seed, snr])
    answers = []
    for _ in range(n_draws):
        got = measure_line(observed([line], snr, rng), line.line)
        if got.is_detected:
            row = (got.ew, got.ew_error, got.fwhm, got.fwhm_error, got.centroid, got.centroid_error)
            answers.append(row)
    found = len(answers) / n_draws
    if len(answers) < 2:
        return Row(line.name, snr, found, *(float("nan"),) * 7)
    ew, ew_error, fwhm, fwhm_error, centre, centre_error = np.array(answers, dtype=np.float64).T
    return Row(
        line.name, snr, found, float(ew.mean() / line.ew - 1.0), float(ew.std() / abs(line.ew)),
        float(((ew - line.ew) / ew_error).std()), float(fwhm.mean() / line.fwhm - 1.0),
        float(fwhm.std() / line.fwhm), float(((fwhm - line.fwhm) / fwhm_error).std()),
        float(((centre - line.centre) / centre_error).std())
    )  # fmt: skip


# Lines as stars have them, seen with several resolutions; depth and FWHM are those without noise.
RESOLUTIONS, SEEN_SNRS, N_SEEN = (1000, 1800, 5000), (10, 30, 100), 400
SEEN = (
    stark("A", "H_beta", H_BETA, 17.0, 0.6, 2.2),
    stark("F", "H_beta", H_BETA, 6.0, 0.5, 2.2),
    stark("B", "H_beta", H_BETA, 9.0, 0.4, 2.2),
    stark("DA", "H_beta", H_BETA, 40.0, 0.5, 2.3),
    double_peak("CV disc", "H_alpha", H_ALPHA, 18.0, 14.0, 1.0),
    both(
        gaussian("polar", "H_alpha", H_ALPHA, 9.0, 1.0),
        gaussian("its base", "H_alpha", H_ALPHA, 40.0, 0.3),
    ),
    BROAD,
)
FINE: FloatArray = np.arange(3700.0, 9100.0, 0.1)


@dataclass(frozen=True)
class Seen:
    """Percent of the value without noise, and the scatter of (measured - true) / quoted error."""

    ew_bias: float
    ew_pull: float
    fwhm_bias: float
    fwhm_pull: float
    depth_bias: float
    depth_pull: float


def seen(line: KnownLine, resolution: float, snr: float, n_draws: int = N_SEEN) -> Seen:
    """Measure a line that an instrument of this resolution has seen, with 2.5 pixels for a FWHM."""
    excess = line.shape(FINE)
    excess = gaussian_filter1d(excess, line.centre / resolution / FWHM_PER_SIGMA / 0.1)
    sign = math.copysign(1.0, float(excess[np.argmax(np.abs(excess))]))
    top = float((sign * excess).max())
    above = FINE[sign * excess > 0.5 * top]
    true = np.array([-np.trapezoid(excess, FINE), above[-1] - above[0], sign * top])
    grid = np.exp(np.arange(math.log(3700.0), math.log(9100.0), 0.4 / resolution))
    rng = np.random.default_rng([round(resolution), round(snr)])
    found = []
    for _ in range(n_draws):
        flux = 1.0 + np.interp(grid, FINE, excess) + rng.normal(size=grid.size) / snr
        ivar = np.full(grid.size, float(snr) ** 2)
        got = measure_line(Spectrum(wavelength=grid, flux=flux, ivar=ivar), line.line)
        if got.is_detected:
            found.append((got.ew, got.fwhm, got.peak, got.ew_error, got.fwhm_error, got.peak_error))
    rows = np.array(found, dtype=np.float64)
    bias = 100.0 * (rows[:, :3].mean(axis=0) / true - 1.0)
    pulls = ((rows[:, :3] - true) / rows[:, 3:]).std(axis=0)
    return Seen(*(each for pair in zip(bias, pulls, strict=True) for each in pair))


def main() -> None:
    print("line                   R  S/N | EW bias  pull | FWHM bias  pull | depth bias  pull")
    for line in SEEN:
        for resolution in RESOLUTIONS:
            for snr in SEEN_SNRS:
                row = seen(line, resolution, snr)
                print(
                    f"{line.name:20s} {resolution:4d} {snr:4d} | {row.ew_bias:+6.1f}%"
                    f" {row.ew_pull:5.2f} |   {row.fwhm_bias:+6.1f}% {row.fwhm_pull:5.2f} |"
                    f"   {row.depth_bias:+6.1f}% {row.depth_pull:5.2f}"
                )


if __name__ == "__main__":
    main()
