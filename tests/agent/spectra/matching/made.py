"""Spectra made of a template, and templates made of lines."""

import json
from importlib.resources import files

import numpy as np

from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import FloatArray, Spectrum

SDSS_PIXELS = 3700.0 * 10 ** (1e-4 * np.arange(3860))


def bundled(name: str) -> tuple[FloatArray, FloatArray]:
    """A bundled template by the name of its file."""
    content = json.loads((files("resources") / "templates" / f"{name}.json").read_text("utf-8"))
    flux = np.array(content["flux"], dtype=np.float64)
    step = content["step_kms"] / LIGHT_KMS
    wavelength = content["first_angstrom"] * np.exp(step * np.arange(flux.size))
    return wavelength, flux / np.median(flux)


def observed(
    name: str,
    velocity_kms: float,
    snr: float,
    seed: int,
    *,
    bad: tuple[float, float] | None = None,
    gap: tuple[float, float] | None = None,
) -> Spectrum:
    """A template at a velocity with noise and a bent continuum; bad pixels hold nonsense."""
    pixels = SDSS_PIXELS if gap is None else _without(SDSS_PIXELS, gap)
    wavelength, flux = bundled(name)
    flux = np.interp(pixels / (1.0 + velocity_kms / LIGHT_KMS), wavelength, flux)
    flux *= 1.0 + 0.3 * np.sin(pixels / 900.0)
    sigma = np.full(pixels.size, np.median(flux) / snr)
    flux += sigma * np.random.default_rng(seed).normal(size=pixels.size)
    ivar = 1.0 / sigma**2
    if bad is not None:
        inside = (pixels > bad[0]) & (pixels < bad[1])
        flux[inside], ivar[inside] = 1e4, 0.0
    return Spectrum(wavelength=pixels, flux=flux, ivar=ivar)


def _without(pixels: FloatArray, gap: tuple[float, float]) -> FloatArray:
    return pixels[(pixels < gap[0]) | (pixels > gap[1])]
