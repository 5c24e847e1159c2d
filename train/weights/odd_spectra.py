"""Ordinary spectra with something odd done to them, of what no kind of object is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agent.spectra.instrument import terrestrial_range
from agent.spectra.lines import builtin_lines
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import Spectrum
from train.simulate.source import GRID, STEP_KMS, Rng
from train.simulate.telescope.observation import log_uniform, to_spectrum
from train.simulate.telescope.telescope import observe
from train.weights.draws import SNR, TELESCOPES, one_source, scaled


def odd_spectrum(labels: list[str], rng: Rng) -> Spectrum:
    """A spectrum of one of these labels, with something odd done to it."""
    telescope = TELESCOPES[int(rng.integers(len(TELESCOPES) - 2))]
    what = rng.choice(["two", "two", "step", "step", "lines", "sky", "sky", "stretched", "waves"])
    first = one_source(str(rng.choice(labels)), rng)
    if what == "two":
        second = one_source(str(rng.choice([*labels, "WD", "SDB"])), rng)
        flux = np.roll(second.flux, round(rng.uniform(-500.0, 500.0) / STEP_KMS))
        pivot = int(rng.integers(GRID.size // 5, 4 * GRID.size // 5))
        share = log_uniform(rng, (0.3, 2.0)) * first.flux[pivot] / max(flux[pivot], 1e-9)
        first = replace(first, flux=first.flux + share * flux)
    if what == "lines":
        flux = first.flux.copy()
        for _ in range(int(rng.integers(1, 7))):
            centre, width = rng.uniform(3800.0, 9000.0), log_uniform(rng, (100.0, 6000.0))
            depth = float(rng.choice([-0.5, 1.0])) * log_uniform(rng, (0.1, 1.5))
            flux *= 1.0 + depth * np.exp(-0.5 * (LIGHT_KMS * np.log(GRID / centre) / width) ** 2)
        first = replace(first, flux=np.maximum(flux, 0.0))
    if what == "stretched":
        stretch = 1.0 + float(rng.choice([-1.0, 1.0])) * log_uniform(rng, (3e-3, 3e-2))
        first = replace(first, flux=np.interp(GRID, GRID * stretch, first.flux))
    observed = observe(first, telescope, rng, snr=log_uniform(rng, SNR))
    spectrum = to_spectrum(observed)
    wavelength, factor = spectrum.wavelength, np.ones(len(spectrum))
    if what == "step":
        at = rng.choice([rng.uniform(4500.0, 8000.0), rng.uniform(5600.0, 6000.0)])
        factor[wavelength > at] *= np.exp(rng.choice([-1.0, 1.0]) * rng.uniform(0.2, 1.0))
    if what == "waves":
        period, phase = log_uniform(rng, (20.0, 400.0)), rng.uniform(0.0, 6.3)
        factor += rng.uniform(0.1, 0.4) * np.sin(wavelength / period + phase)
    if what == "sky":
        for line in builtin_lines().terrestrial:
            if line.kind == "sky":
                low, high = terrestrial_range(line)
                inside = (wavelength > low) & (wavelength < high)
                factor[inside] += rng.normal(0.0, log_uniform(rng, (0.2, 1.0)), int(inside.sum()))
    return scaled(spectrum, factor)
