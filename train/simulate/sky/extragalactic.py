"""Quasars and galaxies, whose emission lines contaminate a search for rare stars."""

from functools import cache

import numpy as np
from scipy.ndimage import gaussian_filter1d

from agent.spectra.spectrum import FloatArray
from train.simulate.sky.cool import sunlike_flux
from train.simulate.sky.hot import add_series
from train.simulate.sky.line_blanketing import Atmosphere
from train.simulate.sky.physics import (
    LN_STEP,
    SIZE,
    chance,
    jump,
    log_uniform,
    planck,
    reddening,
    smooth_warp,
    value_at,
)
from train.simulate.source import GRID, LIGHT_KMS, STEP_KMS, Parameters, Rng, Source

# rest vacuum wavelength: typical EW in angstrom, and width relative to H beta
BROAD = {1215.67: (75, 1.2), 1240.8: (18, 1.2), 1397.8: (8, 1.1), 1549.06: (26, 1.15),
1640.4: (6, 1.2),
         1908.73: (21, 1.2), 2798.75: (32, 0.95), 4102.9: (5, 1.0), 4341.69: (13, 1.0),
         4862.69: (46, 1.0), 6564.61: (195, 0.95), 5877.25: (5, 1.0)}  # fmt: skip
NARROW = {2799.1: 0.0, 3346.8: 0.05, 3426.8: 0.1, 3728.5: 0.25, 3869.86: 0.15, 4341.69: 0.08,
4364.44: 0.06,
          4862.69: 0.15, 4960.29: 1 / 2.98, 5008.24: 1.0, 6302.04: 0.05, 6549.86: 0.1, 6564.61: 0.5,
          6585.27: 0.3, 6718.29: 0.12, 6732.68: 0.1}  # fmt: skip


def _line(flux: FloatArray, centre: float, area: float, fwhm_kms: float) -> None:
    """Add a Gaussian in the observed frame; `area` is in flux times angstrom."""
    sigma = fwhm_kms / 2.3548 / STEP_KMS
    middle = (np.log(centre) - np.log(GRID[0])) / LN_STEP
    low, high = int(max(middle - 5 * sigma, 0)), int(min(middle + 5 * sigma + 1, SIZE))
    if high > low:
        x = (np.arange(low, high) - middle) / sigma
        flux[low:high] += area / (sigma * centre * LN_STEP * 2.50663) * np.exp(-0.5 * x * x)


def qso(rng: Rng) -> Source:
    z = float(np.clip(rng.gamma(2.6, 0.6), 0.03, 4.3))
    index = float(rng.normal(-1.6, 0.35))
    rest = GRID / (1 + z)
    flux = (rest / 3000.0) ** index * np.where(rest > 5200, (rest / 5200) ** (0.5 * -index), 1.0)
    flux *= smooth_warp(rng, 0.05)
    width = log_uniform(rng, 1800, 9000)
    strength = rng.lognormal(0, 0.4)
    base = flux.copy()
    for line, (equivalent, relative) in BROAD.items():
        centre = line * (1 + z)
        if GRID[0] - 300 < centre < GRID[-1] + 300:
            level = value_at(base, min(max(centre, GRID[0]), GRID[-1]))
            area = equivalent * strength * rng.lognormal(0, 0.3) * (1 + z) * level
            _line(flux, centre, 0.65 * area, width * relative)
            _line(flux, centre, 0.35 * area, 2.1 * width * relative)
    iron = strength * rng.lognormal(-0.2, 0.5)
    for low, high, height in (
        (4435, 4685, 0.16), (5100, 5400, 0.13), (2200, 2700, 0.25), (2820, 2950, 0.12),
        (3100, 3500, 0.08),
    ):  # fmt: skip
        bump = 1 / (1 + np.exp(-(rest - low) / 30)) / (1 + np.exp((rest - high) / 30))
        flux += base * height * iron * bump
    # Balmer continuum
    flux += base * rng.uniform(0.05, 0.25) * np.exp(-0.5 * ((rest - 3000) / 550) ** 2)
    oxygen = log_uniform(rng, 2, 60)
    for line, share in NARROW.items():
        centre = line * (1 + z)
        if share and GRID[0] < centre < GRID[-1]:
            area = oxygen * share * (1 + z) * value_at(base, centre)
            _line(flux, centre, area, rng.uniform(250, 700))
    if z > 1.9:
        flux *= _lyman_forest(rest, z, rng)
    if z < 0.5 and chance(rng, 0.6):
        share = rng.uniform(0.1, 0.6)
        old = _broaden(_stellar_bases()["old"], 220.0) * smooth_warp(rng, 0.05)
        host = _shift(old, z)
        flux = flux / value_at(flux, 6000) * (1 - share) + host / value_at(host, 6000) * share
    kind = "QSO"
    if z > 1.5 and chance(rng, 0.12):
        kind = "QSO BAL"
        centre = 1549.06 * (1 + z) * (1 - rng.uniform(3000, 18000) / LIGHT_KMS)
        flux *= 1 - rng.uniform(0.3, 0.9) * np.exp(-0.5 * ((GRID - centre) / (centre * 0.009)) ** 2)
    ebv = log_uniform(rng, 0.01, 0.1)
    parameters: Parameters = {"z": round(z, 4), "fwhm_kms": round(width), "index": round(index, 2)}
    return Source("QSO", kind, flux * reddening(ebv), z=z, parameters=parameters)


def _lyman_forest(rest: FloatArray, z: float, rng: Rng) -> FloatArray:
    """Transmission blueward of Lyman alpha and of the Lyman limit."""
    depth = 0.0036 * (1 + z) ** 3.3 * 0.75
    clouds = rng.exponential(1.0, SIZE) ** 2 * 0.5
    clouds = np.convolve(clouds, np.full(6, 1 / 6), mode="same")
    forest = np.exp(-depth * clouds)
    out = np.where(rest < 1215.67, forest, 1.0)
    return np.where(rest < 912, out * 0.05, out)


@cache
def _stellar_bases() -> dict[str, FloatArray]:
    """Spectra of an old and of a young population, at rest."""
    rng = np.random.default_rng(4000)
    giants = [sunlike_flux(Atmosphere(t, 2.0, 0.0), rng) for t in (4100, 4400, 4800)]
    dwarfs = [sunlike_flux(Atmosphere(t, 4.4, 0.0), rng) for t in (5500, 6000)]
    old = sum(g / value_at(g, 6000) for g in giants) / 3 * 0.65
    old += sum(d / value_at(d, 6000) for d in dwarfs) / 2 * 0.35
    tau = np.zeros(SIZE)
    add_series(tau, 9.0, 0.55, 8.0, 1.7)
    young = planck(13000.0) * jump(0.8, 3660.0) * np.exp(-tau)
    return {"old": np.asarray(old), "young": young / value_at(young, 6000)}


def _broaden(flux: FloatArray, dispersion_kms: float) -> FloatArray:
    return gaussian_filter1d(flux, dispersion_kms / STEP_KMS)


def _shift(flux: FloatArray, z: float) -> FloatArray:
    """A rest-frame array shifted to redshift z, constant beyond its blue end."""
    pixels = np.log1p(z) / LN_STEP
    index = np.arange(SIZE) - pixels
    return np.interp(index, np.arange(SIZE), flux)


def galaxy(rng: Rng) -> Source:
    forming = chance(rng, 0.65)
    z = float(np.clip(rng.gamma(1.8, 0.07), 0.0005, 0.6))
    young = rng.uniform(0.1, 0.9) if forming else rng.uniform(0, 0.08)
    bases = _stellar_bases()
    dispersion = rng.uniform(60, 180) if forming else rng.uniform(150, 320)
    rest = _broaden((1 - young) * bases["old"] + young * bases["young"], dispersion)
    rest = rest * smooth_warp(rng, 0.05) * reddening(log_uniform(rng, 0.02, 0.5))
    flux = _shift(rest, z)
    parameters: Parameters = {"z": round(z, 5), "young": round(float(young), 2)}
    if forming:
        alpha = log_uniform(rng, 5, 250)
        metallicity = rng.uniform(0, 1)
        oxygen = 10 ** rng.uniform(-0.6, 0.8) * (1.2 - 0.7 * metallicity)
        nitrogen = 0.03 + 0.45 * metallicity
        base = flux.copy()
        fwhm = rng.uniform(90, 320)
        # Ratios fixed by atomic physics stay fixed: one draw for both lines of a doublet.
        oxygen *= rng.lognormal(0, 0.08)
        nitrogen *= rng.lognormal(0, 0.08)
        fixed = {4960.29, 5008.24, 6549.86, 6585.27}
        for line, share in (
            (3728.5, 0.9), (3869.86, 0.1 * oxygen), (4341.69, 0.15), (4862.69, 0.33),
            (4960.29, 0.33 * oxygen / 2.98),
            (5008.24, 0.33 * oxygen), (5877.25, 0.04), (6302.04, 0.04), (6549.86, nitrogen / 3.05),
            (6564.61, 1.0), (6585.27, nitrogen), (6718.29, 0.2), (6732.68, 0.15), (9071.1, 0.08),
            (9533.2, 0.2),
        ):  # fmt: skip
            centre = line * (1 + z)
            if GRID[0] < centre < GRID[-1]:
                area = alpha * share * (1.0 if line in fixed else rng.lognormal(0, 0.08))
                _line(flux, centre, area * (1 + z) * value_at(base, 6564.61), float(fwhm))
        parameters["ew_alpha"] = round(alpha, 1)
    kind = "starforming" if forming else "passive"
    return Source("GALAXY", kind, flux, z=z, parameters=parameters)
