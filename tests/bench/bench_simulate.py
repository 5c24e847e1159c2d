"""Simulated spectra per second, on one core, arrays alone."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from time import perf_counter

import numpy as np
from scipy.signal import fftconvolve

from agent.spectra.spectrum import FloatArray
from train.simulate.sky import LABELS, draw_source
from train.simulate.source import GRID, LIGHT_KMS, Source
from train.simulate.telescope.instrument import instrument_of
from train.simulate.telescope.optics import integrate, through_arms
from train.simulate.telescope.telescope import observe

REPEATS = 5


def median_ms(work: Callable[[], object], times: int) -> float:
    """Median over repeats of the mean time of one call."""
    means = []
    for _ in range(REPEATS):
        start = perf_counter()
        for _ in range(times):
            work()
        means.append((perf_counter() - start) * 1e3 / times)
    return statistics.median(means)


def through_optics(source: Source) -> FloatArray:
    """Ours: each camera's changing resolution, velocity, pixels that conserve flux."""
    instrument = instrument_of("LAMOST")
    return integrate(
        through_arms(source.flux, instrument.profile.arms), instrument.edges, source.velocity_kms
    )


def straightforward(source: Source) -> FloatArray:
    """The plain way: one kernel by FFT over the same grid, then interpolation at pixel centres."""
    step = LIGHT_KMS * float(np.log(GRID[1] / GRID[0]))
    sigma = LIGHT_KMS / 1800.0 / 2.3548 / step
    offsets = np.arange(-int(5 * sigma), int(5 * sigma) + 1)
    kernel = np.exp(-0.5 * (offsets / sigma) ** 2)
    seen = fftconvolve(source.flux, kernel / kernel.sum(), mode="same")
    wavelength = instrument_of("LAMOST").profile.wavelength
    return np.interp(wavelength, GRID * (1 + source.velocity_kms / LIGHT_KMS), seen)


def figures() -> Iterator[dict[str, object]]:
    rng = np.random.default_rng(1)
    sources = [draw_source(label, rng) for label in LABELS]

    def any_source() -> Source:
        return sources[int(rng.integers(len(sources)))]

    def draw() -> Source:
        return draw_source(LABELS[int(rng.integers(len(LABELS)))], rng)

    drawing = median_ms(draw, 60)
    for survey in ("LAMOST", "SDSS", "DESI"):
        observing = median_ms(lambda survey=survey: observe(any_source(), survey, rng), 60)
        yield {
            "figure": f"spectra per second, {survey}, one core, drawing and observing",
            "value": round(1e3 / (drawing + observing), 1), "drawing_ms": round(drawing, 3),
            "observing_ms": round(observing, 3),
        }  # fmt: skip
    ours = median_ms(lambda: through_optics(any_source()), 60)
    plain = median_ms(lambda: straightforward(any_source()), 60)
    yield {
        "figure": "optics: FFT convolution and interpolation, one resolution, over ours",
        "value": round(plain / ours, 2), "ours_ms": round(ours, 3), "plain_ms": round(plain, 3),
    }  # fmt: skip
