"""Carbon stars: CH, R, N and J giants, and carbon dwarfs; also the related barium stars."""

import numpy as np

from agent.spectra.spectrum import FloatArray
from train.simulate.sky import bands
from train.simulate.sky.cool import disc_velocity, dust, emission_over, sunlike_flux
from train.simulate.sky.line_blanketing import (
    Atmosphere,
    add_atoms,
    add_cool_hydrogen,
    add_heavy,
    add_strong_metals,
    unresolved_lines,
)
from train.simulate.sky.physics import (
    SIZE,
    chance,
    log_uniform,
    pick,
    planck,
    reddening,
    smooth_warp,
    truncated_normal,
    vacuum,
)
from train.simulate.sky.profiles import add_head, add_stark
from train.simulate.source import GRID, Parameters, Rng, Source

# subtype: probability, temperature, strength of C2 and of CN relative to the archetypes
KINDS: dict[str, tuple[float, tuple[float, float], tuple[float, float], tuple[float, float]]] = {
    "C-H": (0.34, (4000, 5100), (0.3, 1.4), (0.2, 0.9)),
    "C-R": (0.27, (3800, 4900), (0.3, 1.4), (0.4, 1.3)),
    "C-N": (0.17, (2500, 3400), (0.7, 2.2), (0.8, 2.0)),
    "C-J": (0.10, (2800, 4200), (0.8, 2.0), (0.8, 1.8)),
    "dC": (0.12, (3800, 4800), (0.3, 1.4), (0.2, 0.8)),
}


def cs(rng: Rng) -> Source:
    kind = pick(rng, {name: odds for name, (odds, *_) in KINDS.items()})
    _, kelvins, c2_range, cn_range = KINDS[kind]
    kelvin = float(rng.uniform(*kelvins))
    c2, cn = log_uniform(rng, *c2_range), log_uniform(rng, *cn_range)
    tau = c2 * _mixed_bands("C2", rng) + cn * _mixed_bands("CN", rng)
    violet = (cn + 0.3) * (1.2 if kind in ("C-R", "C-N", "C-J") else 0.9)
    tau += violet * _mixed_bands("CNv", rng)
    ch = rng.uniform(0.7, 1.5) if kind == "C-H" else rng.uniform(0.3, 1.0)
    tau += ch * _mixed_bands("CH", rng)
    log_g = 4.8 if kind == "dC" else float(rng.uniform(0.3, 2.8))
    star = Atmosphere(kelvin, log_g, truncated_normal(rng, -0.7, 0.5, -2.5, 0.2))
    _add_lines(tau, star, kind, rng)
    tau += unresolved_lines() * rng.uniform(0.4, 1.3)
    if kind == "C-J" or (kind == "C-R" and chance(rng, 0.3)):
        isotopic = c2 * rng.uniform(0.2, 0.6)
        for air in (4744.5, 4752.2, 6168.0):
            add_head(tau, vacuum(air), 0.5 * isotopic, 25.0, "violet")
    if kind in ("C-N", "C-J") and chance(rng, 0.6):
        for air in (4640.0, 4867.0, 4977.0):  # SiC2
            add_head(tau, vacuum(air), log_uniform(rng, 0.2, 1.2), 45.0, "violet")
    flux = planck(kelvin) * np.exp(-tau * smooth_warp(rng, 0.10)) * smooth_warp(rng, 0.08)
    if kind == "C-N":
        flux *= np.exp(-np.clip((5000 - GRID) / rng.uniform(180, 600), 0, 12))
    if kind in ("C-N", "C-J", "dC") and chance(rng, 0.15):
        emission_over(flux, 6564.61, log_uniform(rng, 0.8, 8), 110.0)
    ebv = log_uniform(rng, 0.01, 0.15 if kind in ("C-H", "dC") else 1.0)
    velocity = float(rng.normal(0, 130 if kind in ("C-H", "dC") else 45))
    parameters: Parameters = {"kelvin": round(kelvin), "c2": round(c2, 3), "cn": round(cn, 3)}
    parameters["ebv"] = round(ebv, 3)
    return Source("CS", kind, flux * reddening(ebv), velocity, parameters=parameters)


def _mixed_bands(molecule: str, rng: Rng) -> FloatArray:
    """A random mixture of the bands of one molecule in the archetypes."""
    known = bands.anchors("carbon")
    parts = [anchor.tau[molecule] for anchor in known if molecule in anchor.tau]
    weights = rng.dirichlet(np.ones(len(parts)) * 1.5)
    if molecule == "CN":  # the first archetype ends at 7400 A
        weights[0] = 0.0
    if molecule == "C2":  # the second archetype has weak bands: only their shape is used
        weights[1] *= 2.0
    return np.asarray(sum(w * part for w, part in zip(weights / weights.sum(), parts, strict=True)))


def _add_lines(tau: FloatArray, star: Atmosphere, kind: str, rng: Rng) -> None:
    lines = np.zeros(SIZE)
    add_atoms(lines, star, rng)
    add_strong_metals(lines, star, rng)
    tau += lines * (0.5 if star.kelvin < 3500 else 0.8)
    add_cool_hydrogen(tau, star)
    barium = log_uniform(rng, 0.1, 0.5) if kind == "C-R" else log_uniform(rng, 0.3, 2.0)
    add_heavy(tau, barium, (1.0, 0.8, 0.5, 0.6, 1.0, 0.8), 80.0)
    sodium = rng.uniform(1.2, 2.8) if star.kelvin < 3600 else rng.uniform(0.2, 0.9)
    for wavelength in (5891.58, 5897.55):
        add_stark(tau, wavelength, 0.9, sodium, 2.0)
    if kind == "dC":
        dwarf = bands.anchors("dwarf")[2].tau
        tau += dwarf["MgH"] * rng.uniform(0.2, 1.0)
        if chance(rng, 0.5):
            tau += dwarf["CaH"] * rng.uniform(0.2, 0.8)


def barium(rng: Rng) -> Source:
    """A barium star: a K giant with deep s-process lines, mild CN and faint C2; no carbon star."""
    star = Atmosphere(rng.uniform(4200, 5200), rng.uniform(1.5, 3.0), rng.normal(-0.2, 0.2))
    tau = rng.uniform(0.0, 0.08) * _mixed_bands("C2", rng)
    tau += rng.uniform(0.1, 0.4) * _mixed_bands("CNv", rng)
    strength = log_uniform(rng, 0.4, 1.6)
    add_heavy(tau, strength, (1.0, 0.8, 0.6, 0.7, 1.2, 0.9), 70.0)
    extinction, ebv = dust(rng, 0.01, 0.6)
    flux = sunlike_flux(star, rng, ch=rng.uniform(1.0, 1.6)) * np.exp(-tau) * extinction
    parameters: Parameters = {"kelvin": round(star.kelvin), "ba": round(strength, 2)}
    parameters["ebv"] = round(ebv, 3)
    return Source("K", "K barium", flux, disc_velocity(rng, 0.2), parameters=parameters)
