"""L dwarfs: too cool for titanium oxide, with very broad Na and K lines."""

from __future__ import annotations

import numpy as np

from agent.spectra.spectrum import FloatArray
from train.simulate.sky import bands
from train.simulate.sky.cool import disc_velocity, emission_over
from train.simulate.sky.physics import (
    SIZE,
    chance,
    log_uniform,
    planck,
    power_law,
    smooth_warp,
    vacuum,
)
from train.simulate.sky.profiles import add_head, add_stark
from train.simulate.source import Rng, Source

LATEST = 8.0
"""L8; later types are too faint below one micrometre for these surveys."""
SODIUM = (5891.58, 5897.56)
POTASSIUM = (7667.01, 7701.08)


def l_dwarf(rng: Rng) -> Source:
    """An L0 to L8 dwarf."""
    subtype = float(rng.uniform(0.0, LATEST))
    flux = _continuum(subtype, rng) * np.exp(-_molecules(subtype, rng) - _atoms(subtype, rng))
    alpha = 0.0
    if subtype < 5.0 and chance(rng, 0.3):
        alpha = log_uniform(rng, 1.0, 15.0)
        emission_over(flux, 6564.61, alpha, 110.0)
    stated: dict[str, float | str] = {"subtype": round(subtype, 1), "ew_alpha": round(alpha, 2)}
    return Source("L_DWARF", "L dwarf", flux, disc_velocity(rng), parameters=stated)


def _continuum(subtype: float, rng: Rng) -> FloatArray:
    """Continuum steeper than a black body, because of dust and of opacity that falls redward."""
    kelvin = float(np.interp(subtype, (0, LATEST), (2300, 1500))) * rng.normal(1.0, 0.04)
    flux = planck(kelvin) * power_law(rng.uniform(2.5, 5.5)) * smooth_warp(rng, 0.12)
    return np.asarray(flux / flux.max())


def _molecules(subtype: float, rng: Rng) -> FloatArray:
    """Optical depth of oxides, which fade as dust forms, and hydrides, which fade later."""
    dwarf, giant = bands.anchors("dwarf")[0], bands.anchors("giant")[0]
    hydride = np.interp(subtype, (0, 4, LATEST), (0.5, 0.8, 0.5)) * rng.lognormal(0, 0.25)
    tau = np.interp(subtype, (0, 2, 5), (1.3, 0.9, 0.0)) * rng.lognormal(0, 0.15) * dwarf.tau["TiO"]
    tau += np.interp(subtype, (0, 2, 4), (0.5, 0.3, 0.0)) * rng.lognormal(0, 0.25) * giant.tau["VO"]
    tau += np.interp(subtype, (0, 4), (0.7, 0.1)) * rng.lognormal(0, 0.25) * dwarf.tau["CaH"]
    for air, share, length in ((8611.0, 0.8, 45.0), (8691.0, 1.0, 60.0), (9896.0, 1.2, 90.0)):
        add_head(tau, vacuum(air), share * hydride, length, "red")
    water = np.interp(subtype, (0, LATEST), (0.15, 0.6))
    add_head(tau, vacuum(9250.0), water * rng.lognormal(0, 0.2), 160.0, "red")
    return np.asarray(tau * smooth_warp(rng, bands.SYSTEM_SPREAD))


def _atoms(subtype: float, rng: Rng) -> FloatArray:
    """Optical depth of alkali lines; those of Na and K broaden until their wings overlap."""
    tau = np.zeros(SIZE)
    share = subtype / LATEST
    for pair, low, high, depth in ((SODIUM, 20.0, 130.0, 5.0), (POTASSIUM, 10.0, 110.0, 4.5)):
        half = low * (high / low) ** share * rng.lognormal(0, 0.2)
        for wavelength in pair:
            add_stark(tau, wavelength, 0.5 * depth * rng.lognormal(0, 0.1), half, 1.9)
    # Rb and Cs grow, subordinate Na fades
    for wavelength, half in (
        (7802.41, 0.4 + 3.0 * share), (7949.79, 0.4 + 2.5 * share), (8523.47, 0.4 + 3.0 * share),
        (8945.93, 0.3 + 2.0 * share), (8185.51, 3.0 - 2.5 * share), (8197.07, 3.5 - 3.0 * share),
    ):  # fmt: skip
        add_stark(tau, wavelength, 0.7 * rng.lognormal(0, 0.2), half * rng.lognormal(0, 0.2), 2.0)
    if chance(rng, 0.3):
        add_stark(tau, 6709.66, 0.8, rng.uniform(1.0, 3.0), 2.0)
    return tau
