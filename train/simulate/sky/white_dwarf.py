"""White dwarfs: DA, DB, DO, DC, DQ, DZ, magnetic ones, and binaries with an M dwarf."""

from collections.abc import Callable
from functools import partial

import numpy as np

from agent.spectra.spectrum import FloatArray
from train.simulate.sky.cool import add_chromosphere, m_dwarf_flux
from train.simulate.sky.hot import BALMER, BALMER_N, HE_I, HE_II
from train.simulate.sky.physics import (
    SIZE,
    chance,
    jump,
    log_uniform,
    pick,
    planck,
    reddening,
    smooth_warp,
    vacuum,
    value_at,
)
from train.simulate.sky.profiles import add_gaussian, add_head, add_stark, stark_half_width
from train.simulate.source import GRID, Parameters, Rng, Source

KINDS = {
    "DA": 0.50, "DA+dM": 0.12, "DB": 0.10, "DC": 0.07, "DQ": 0.05, "DZ": 0.06, "DAH": 0.05,
    "DO": 0.025, "DBA": 0.025,
}  # fmt: skip

_BETA = ((6000, 7000, 8000, 9500, 11000, 12500, 15000, 20000, 30000, 45000, 80000),
         (2.0, 8.0, 17.0, 37.0, 52.0, 57.0, 48.0, 34.0, 21.0, 13.0, 8.0))  # fmt: skip


def wd(rng: Rng) -> Source:
    kind = pick(rng, KINDS)
    flux, parameters = white_dwarf_flux(kind, rng)
    ebv = log_uniform(rng, 0.002, 0.12)
    parameters["ebv"] = round(ebv, 3)
    velocity = float(rng.normal(25, 40))
    return Source("WD", kind, flux * reddening(ebv), velocity, parameters=parameters)


def white_dwarf_flux(kind: str, rng: Rng) -> tuple[FloatArray, Parameters]:
    """Flux without dust, and the parameters drawn."""
    draws: dict[str, Callable[[Rng], tuple[FloatArray, Parameters]]] = {
        "DA": _da, "DA+dM": partial(_da, companion=True), "DAH": _magnetic, "DB": _db, "DC": _dc,
        "DBA": partial(_db, hydrogen=True), "DO": _do, "DQ": _dq, "DZ": _dz,
    }  # fmt: skip
    return draws[kind](rng)


def _continuum(kelvin: float, rng: Rng) -> FloatArray:
    return planck(kelvin * rng.normal(1.0, 0.02)) * smooth_warp(rng, 0.015)


def add_da_lines(tau: FloatArray, kelvin: float, log_g: float, rng: Rng) -> float:
    """Add pressure-broadened Balmer lines and return EW(H beta) in angstrom.

    Higher gravity makes lines wider, and fewer of them visible.
    """
    beta = float(np.interp(kelvin, *_BETA)) * rng.lognormal(0, 0.06)
    beta *= 10 ** ((-0.08 if kelvin < 12000 else 0.10) * (log_g - 8))
    depth = float(np.clip(0.18 + beta / 125, 0.15, 0.6)) * rng.uniform(0.9, 1.05)
    alpha = float(np.interp(kelvin, (7000, 9000, 12000, 25000, 60000), (1.1, 0.7, 0.52, 0.6, 0.75)))
    shares = {3: alpha, 4: 1.0, 5: 0.95, 6: 0.84}
    fade = 2.1 - 0.6 * (log_g - 8)
    power = rng.uniform(1.65, 2.05)
    for n, wavelength in zip(BALMER_N, BALMER, strict=True):
        share = shares.get(n, 0.84 * float(np.exp(-((max(n - 6, 0) / fade) ** 1.2))))
        area = beta * share
        if area < 0.15:
            break
        line_depth = depth * min(1.0, 0.45 + 0.6 * share) * {3: 0.75, 4: 1.0}.get(n, 1.1)
        half_width = stark_half_width(area, line_depth, power)
        add_stark(tau, wavelength, -np.log1p(-min(line_depth, 0.85)), half_width, power)
    core = rng.uniform(0.0, 0.25) * depth
    for wavelength in (6564.61, 4862.69):
        add_gaussian(tau, wavelength, core * 5, 250.0)
    return beta


def _dc(rng: Rng) -> tuple[FloatArray, Parameters]:
    kelvin = float(rng.uniform(4500, 11000))
    return planck(kelvin) * smooth_warp(rng, 0.02), {"kelvin": round(kelvin)}


def _da(rng: Rng, companion: bool = False) -> tuple[FloatArray, Parameters]:
    kelvin = log_uniform(rng, 6500, 60000)
    log_g = float(np.clip(rng.normal(8.0, 0.2), 7.4, 8.9))
    tau = np.zeros(SIZE)
    beta = add_da_lines(tau, kelvin, log_g, rng)
    if chance(rng, 0.05) and kelvin < 15000:
        add_gaussian(tau, 3934.77, rng.uniform(0.3, 2.0), 90.0)
    kelvins, sizes = (6500, 10000, 13000, 20000, 40000), (0.15, 0.4, 0.45, 0.25, 0.08)
    size = float(np.interp(kelvin, kelvins, sizes))
    bluer = float(np.interp(kelvin, (7000, 10000, 16000, 25000), (1.0, 1.15, 1.15, 1.0)))
    flux = _continuum(kelvin * bluer, rng) * jump(size, 3780.0, 45.0) * np.exp(-tau)
    parameters: Parameters = {"kelvin": round(kelvin), "log_g": round(log_g, 2)}
    parameters["ew_beta"] = round(beta, 1)
    if companion:
        tio5 = float(rng.uniform(0.3, 0.85))
        dwarf = m_dwarf_flux(rng, tio5)
        if chance(rng, 0.45):
            add_chromosphere(dwarf, log_uniform(rng, 1, 12), rng)
        share = rng.uniform(0.15, 0.9)
        flux = (1 - share) * flux / value_at(flux, 8000.0) + share * dwarf / value_at(dwarf, 8000.0)
        parameters["companion_tio5"] = round(tio5, 2)
        parameters["companion_at_8000"] = round(float(share), 2)
    return flux, parameters


def _db(rng: Rng, hydrogen: bool = False) -> tuple[FloatArray, Parameters]:
    kelvin = float(rng.uniform(12000, 32000))
    helium = float(np.interp(kelvin, (12000, 15000, 20000, 26000, 32000), (3, 7, 13, 13, 10)))
    helium *= rng.lognormal(0, 0.15)
    tau = np.zeros(SIZE)
    wide = rng.uniform(0.8, 1.25)
    for wavelength, share in HE_I.items():
        area = helium * share * rng.lognormal(0, 0.12)
        depth = float(np.clip(0.12 + area / 45, 0.05, 0.5))
        opacity = -np.log1p(-depth)
        add_stark(tau, wavelength, opacity, wide * stark_half_width(area, depth, 1.8), 1.8)
    if hydrogen:
        for wavelength, share in ((6564.61, 0.7), (4862.69, 1.0), (4341.69, 0.8)):
            add_stark(tau, wavelength, 0.2, rng.uniform(6, 14) * share, 1.8)
    flux = _continuum(kelvin, rng) * np.exp(-tau)
    return flux, {"kelvin": round(kelvin), "ew_4471": round(helium, 1)}


def _do(rng: Rng) -> tuple[FloatArray, Parameters]:
    kelvin = float(rng.uniform(45000, 100000))
    strength = rng.uniform(3, 14)
    tau = np.zeros(SIZE)
    for wavelength, share in HE_II.items():
        area = strength * share * (1.5 if wavelength == 4686.99 else 0.7)
        add_stark(tau, wavelength, 0.25, stark_half_width(area, 0.25, 1.8), 1.8)
    flux = _continuum(kelvin, rng) * np.exp(-tau)
    return flux, {"kelvin": round(kelvin), "ew_he_ii": round(float(strength), 1)}


def _dq(rng: Rng) -> tuple[FloatArray, Parameters]:
    kelvin = float(rng.uniform(5500, 13000))
    strength, length = log_uniform(rng, 0.12, 1.6), rng.uniform(60, 150)
    shift = rng.uniform(100, 300) if kelvin < 7000 and chance(rng, 0.4) else rng.uniform(0, 12)
    tau = np.zeros(SIZE)
    for air, share in (
        (5165.2, 1.0), (5129.3, 0.35), (4737.1, 0.8), (4715.2, 0.3), (4382.5, 0.35), (5635.5, 0.4),
        (6191.2, 0.1),
    ):  # fmt: skip
        add_head(tau, vacuum(air) - shift, strength * share, length, "violet")
    if shift > 50:  # pressure rounds the heads of the coolest ones
        kernel = np.exp(-0.5 * (np.arange(-90, 91) / 30) ** 2)
        tau = np.convolve(tau, kernel / kernel.sum(), mode="same")
    if kelvin > 9500:
        for air in (4269, 4372, 4762, 4772, 4932, 5052, 5380):  # C I
            add_gaussian(tau, vacuum(air), rng.uniform(0.5, 4.0), 600.0)
    flux = _continuum(kelvin, rng) * np.exp(-tau)
    parameters: Parameters = {"kelvin": round(kelvin), "c2": round(strength, 2)}
    return flux, parameters | {"blueshift": round(float(shift), 1)}


def _dz(rng: Rng) -> tuple[FloatArray, Parameters]:
    kelvin = float(rng.uniform(4800, 11500))
    calcium = log_uniform(rng, 5, 55)
    tau = np.zeros(SIZE)
    depth = float(np.clip(0.3 + calcium / 60, 0.3, 0.92))
    opacity = -np.log1p(-depth)
    for wavelength, share in ((3934.77, 1.0), (3969.59, 0.8)):
        add_stark(tau, wavelength, opacity, stark_half_width(calcium * share, depth, 1.7), 1.7)
    metals = calcium / 30
    for air, area in (
        (3835.0, 6), (3720.0, 8), (3746.0, 5), (3820.0, 5), (4226.7, 4), (5167.3, 3), (5172.7, 5),
        (5183.6, 6), (5892.9, 2.5), (4383.5, 3), (4045.8, 2), (5269.5, 2), (8542.1, 2),
        (8662.1, 1.5),
    ):  # fmt: skip
        each = area * metals * rng.lognormal(0, 0.4)
        if each > 0.2:
            add_stark(tau, vacuum(air), 0.4, stark_half_width(each, 0.4, 1.7), 1.7)
    flux = _continuum(kelvin, rng) * np.exp(-tau)
    return flux, {"kelvin": round(kelvin), "ew_ca_k": round(calcium, 1)}


def _magnetic(rng: Rng) -> tuple[FloatArray, Parameters]:
    """A DA with lines split into three components by a field of up to 50 MG."""
    kelvin = log_uniform(rng, 7500, 30000)
    field = log_uniform(rng, 1.0, 50.0)
    beta = float(np.interp(kelvin, *_BETA)) * 0.8
    tau = np.zeros(SIZE)
    for n, wavelength in zip(BALMER_N[:5], BALMER[:5], strict=True):
        area = beta * {3: 0.6, 4: 1.0, 5: 0.9, 6: 0.6, 7: 0.3}[n]
        split = 4.67e-7 * wavelength**2 * field  # linear, angstrom; quadratic pulls all blueward
        pull = -0.008 * field**2 * (n / 3.0) ** 4 * 0.15
        smear = 1 + 0.25 * field / 10
        for side, share in ((-1, 0.3), (0, 0.4), (1, 0.3)):
            centre = float(wavelength + side * split + pull * (1 + abs(side)))
            if GRID[0] < centre < GRID[-1]:
                depth = 0.35 * share / 0.4 / np.sqrt(smear)
                width = stark_half_width(area * share, depth, 1.9)
                add_stark(tau, centre, depth, min(width, 14) * (smear if side else 1), 1.9)
    flux = _continuum(kelvin, rng) * np.exp(-tau)
    return flux, {"kelvin": round(kelvin), "field_mg": round(field, 1)}
