"""Cataclysmic variables: quiescent discs, outbursts and novalikes, polars, AM CVn."""

import numpy as np

from agent.spectra.spectrum import FloatArray
from train.simulate.sky.cool import m_dwarf_flux, sunlike_flux
from train.simulate.sky.line_blanketing import Atmosphere
from train.simulate.sky.physics import (
    SIZE,
    chance,
    jump,
    log_uniform,
    pick,
    planck,
    power_law,
    reddening,
    smooth_warp,
    value_at,
)
from train.simulate.sky.profiles import add_double, add_gaussian, add_stark
from train.simulate.sky.white_dwarf import add_da_lines
from train.simulate.source import GRID, LIGHT_KMS, Parameters, Rng, Source

KINDS = {
    "quiescent": 0.48, "WZ Sge": 0.12, "outburst": 0.06, "novalike": 0.12, "polar": 0.14,
    "polar low": 0.03, "AM CVn": 0.05,
}  # fmt: skip

BALMER = (6564.61, 4862.69, 4341.69, 4102.90, 3971.19, 3890.15, 3836.48, 3798.98, 3771.7, 3751.2)
PASCHEN = (9231.5, 9017.4, 8865.2, 8752.9, 8667.4, 8600.8, 8547.7, 8504.8)
HE_I = {4472.73: 1.0, 5877.25: 1.3, 6679.99: 0.7, 7067.14: 0.6, 4923.30: 0.45, 4714.47: 0.3,
5017.08: 0.4,
        4027.33: 0.6, 4389.16: 0.25, 3889.75: 0.4}  # fmt: skip
FE_II = {4925.30: 1.0, 5019.84: 1.0, 5170.47: 1.4, 5317.8: 1.2, 5277.5: 0.6, 4584.9: 0.6}


def cv(rng: Rng) -> Source:
    kind = pick(rng, KINDS)
    draw = {
        "quiescent": _quiescent, "WZ Sge": _short_period, "outburst": _outburst,
        "novalike": _novalike, "polar": _polar, "polar low": _polar_low, "AM CVn": _am_cvn,
    }[kind]  # fmt: skip
    flux, parameters = draw(rng)
    ebv = log_uniform(rng, 0.005, 0.5)
    parameters["ebv"] = round(ebv, 3)
    velocity = float(rng.normal(0, 45) + rng.normal(0, 80))  # the lines move with the orbit
    return Source("CV", kind, flux * reddening(ebv), velocity, parameters=parameters)


class _Lines:
    """Emission lines of a disc, all of the same width, split and skew."""

    def __init__(self, flux: FloatArray, fwhm: float, split: float, skew: float, rng: Rng) -> None:
        self.base = flux.copy()
        self.flux = flux
        self.fwhm, self.split, self.skew, self.rng = fwhm, split, skew, rng

    def add(self, wavelength: float, width: float, broader: float = 1.0) -> None:
        """Add an emission line of equivalent width `width`, in angstrom."""
        if width <= 0.02:
            return
        area = width * max(value_at(self.base, wavelength), 1e-9)
        line = np.zeros(SIZE)
        fwhm = self.fwhm * broader
        if self.split > 0:
            add_double(line, wavelength, area, fwhm, self.split, self.skew)
        else:
            add_gaussian(line, wavelength, 0.7 * area, fwhm)
            add_gaussian(line, wavelength, 0.3 * area, 1.8 * fwhm)
        self.flux += line


def _decrement(alpha: float, rng: Rng, flat: float) -> list[float]:
    """Equivalent widths of the Balmer lines from EW(H alpha); `flat` near 1 is optically thick."""
    beta = alpha * flat * rng.lognormal(0, 0.12)
    widths = [alpha, beta]
    ratio = rng.uniform(0.74, 0.97)
    while len(widths) < len(BALMER):
        widths.append(widths[-1] * ratio * rng.lognormal(0, 0.05))
        ratio *= rng.uniform(0.82, 0.97)
    return widths


def _disc_emission(
    flux: FloatArray, alpha: float, flat: float, helium: float, ionised: float, fwhm: float,
    rng: Rng, double: float,
) -> None:  # fmt: skip
    split = rng.uniform(0.4, 0.62) if chance(rng, double) else 0.0
    lines = _Lines(flux, fwhm, float(split), float(rng.normal(0, 0.08)), rng)
    for wavelength, width in zip(BALMER, _decrement(alpha, rng, flat), strict=True):
        lines.add(wavelength, width)
    beta = alpha * flat
    for wavelength, share in HE_I.items():
        lines.add(wavelength, helium * beta * share * rng.lognormal(0, 0.15))
    lines.add(4686.99, ionised * beta)
    if ionised > 0.1:
        lines.add(4645.0, rng.uniform(0.2, 0.9) * ionised * beta, 1.3)
        lines.add(5413.03, rng.uniform(0.1, 0.35) * ionised * beta)
    if chance(rng, 0.35):
        iron = rng.uniform(0.02, 0.15) * beta
        for wavelength, share in FE_II.items():
            lines.add(wavelength, iron * share)
    if chance(rng, 0.7):
        triplet = rng.uniform(0.03, 0.25) * alpha
        for wavelength in (8500.35, 8544.44, 8664.52):
            lines.add(wavelength, triplet)
    if chance(rng, 0.6):
        calcium = rng.uniform(0.05, 0.35) * beta
        lines.add(3934.77, calcium)
        lines.add(3969.59, 0.7 * calcium)
    if chance(rng, 0.45):
        lines.add(8448.7, rng.uniform(0.03, 0.15) * alpha)
        lines.add(7775.6, rng.uniform(0.01, 0.08) * alpha)
    if chance(rng, 0.8):
        paschen = rng.uniform(0.02, 0.14) * alpha
        for i, wavelength in enumerate(PASCHEN):
            lines.add(wavelength, paschen * 0.93**i)


def _donor(flux: FloatArray, share: float, rng: Rng) -> Parameters:
    """Add the donor star with `share` of the light at 8000 A."""
    if share < 0.02:
        return {}
    if chance(rng, 0.2):
        kelvin = rng.uniform(3950, 5000)
        donor = sunlike_flux(Atmosphere(float(kelvin), 4.6), rng)
        name = f"K {kelvin:.0f}"
    else:
        tio5 = float(rng.uniform(0.3, 0.85))
        donor = m_dwarf_flux(rng, tio5)
        name = f"M {tio5:.2f}"
    flux *= (1 - share) / value_at(flux, 8000.0)
    flux += share * donor / value_at(donor, 8000.0)
    return {"donor": name, "donor_at_8000": round(share, 2)}


def _absorb_cores(flux: FloatArray, rng: Rng) -> None:
    """Absorb the centres of the Balmer lines, as the rim of a disc seen edge-on does."""
    tau, depth, fwhm = np.zeros(SIZE), rng.uniform(0.2, 0.9), rng.uniform(200, 500)
    for wavelength in BALMER:
        add_gaussian(tau, wavelength, 1.064 * depth * wavelength * fwhm / LIGHT_KMS, fwhm)
    flux *= np.exp(-tau)


def _quiescent(rng: Rng) -> tuple[FloatArray, Parameters]:
    index = float(rng.uniform(-2.3, 0.1))
    hot = planck(log_uniform(rng, 9000, 22000))
    share = rng.uniform(0, 0.6)
    flux = (1 - share) * power_law(index) + share * hot
    flux *= jump(-log_uniform(rng, 0.05, 0.7), 3720.0, 28.0) * smooth_warp(rng, 0.04)
    shares = [0.0, rng.uniform(0.02, 0.5), rng.uniform(0.4, 0.85)]
    parameters = _donor(flux, float(rng.choice(shares, p=[0.45, 0.4, 0.15])), rng)
    alpha, fwhm = log_uniform(rng, 18, 190), log_uniform(rng, 700, 2400)
    helium = rng.uniform(0.1, 0.4)
    ionised = float(rng.choice([rng.uniform(0.01, 0.12), rng.uniform(0.08, 0.35)]))
    _disc_emission(flux, alpha, rng.uniform(0.4, 1.1), helium, ionised, fwhm, rng, double=0.45)
    if chance(rng, 0.1):
        _absorb_cores(flux, rng)
    return flux, parameters | {"ew_alpha": round(alpha, 1), "fwhm_kms": round(fwhm)}


def _short_period(rng: Rng) -> tuple[FloatArray, Parameters]:
    """A short-period system: Balmer absorption of the white dwarf with emission inside."""
    kelvin = float(rng.uniform(9500, 18000))
    tau = np.zeros(SIZE)
    add_da_lines(tau, kelvin, float(rng.uniform(7.9, 8.6)), rng)
    share = rng.uniform(0.45, 0.85)
    flux = share * planck(kelvin) * np.exp(-tau) + (1 - share) * power_law(rng.uniform(-2, -0.3))
    flux *= smooth_warp(rng, 0.03)
    alpha, fwhm = log_uniform(rng, 20, 140), log_uniform(rng, 1000, 2400)
    flat, helium = rng.uniform(0.25, 0.6), rng.uniform(0.03, 0.2)
    _disc_emission(flux, alpha, flat, helium, 0.02, fwhm, rng, double=0.8)
    return flux, {"kelvin": round(kelvin), "ew_alpha": round(alpha, 1), "fwhm_kms": round(fwhm)}


def _absorbing_disc(rng: Rng) -> FloatArray:
    """An optically thick disc: blue, with shallow and wide Balmer absorption."""
    flux = 0.5 * power_law(rng.uniform(-3.0, -1.9)) + 0.5 * planck(rng.uniform(14000, 38000))
    tau = np.zeros(SIZE)
    depth = rng.uniform(0.03, 0.25)
    for i, wavelength in enumerate(BALMER):
        each = depth * (0.45 if i == 0 else 1.0) * 0.93**i
        add_stark(tau, wavelength, each, rng.uniform(16, 36), 2.2)
    if chance(rng, 0.6):
        for wavelength in (4472.73, 4027.33, 4923.3):
            add_stark(tau, wavelength, depth * rng.uniform(0.1, 0.4), rng.uniform(10, 22), 2.2)
    return flux * np.exp(-tau) * smooth_warp(rng, 0.03)


def _outburst(rng: Rng) -> tuple[FloatArray, Parameters]:
    flux = _absorbing_disc(rng)
    alpha, fwhm = log_uniform(rng, 1.0, 12), log_uniform(rng, 500, 1500)
    lines = _Lines(flux, fwhm, 0.5 if chance(rng, 0.4) else 0.0, 0.0, rng)
    widths = _decrement(alpha, rng, rng.uniform(0.2, 0.6))
    for wavelength, width in zip(BALMER, widths, strict=True):
        lines.add(wavelength, width)
    beta = 0.4 * alpha
    lines.add(4686.99, rng.uniform(0.2, 1.5) * beta)
    lines.add(4645.0, rng.uniform(0.1, 1.2) * beta, 1.3)
    lines.add(6679.99, rng.uniform(0.05, 0.3) * alpha)
    lines.add(5877.25, rng.uniform(0.0, 0.3) * alpha)
    return flux, {"ew_alpha": round(alpha, 1), "fwhm_kms": round(fwhm)}


def _novalike(rng: Rng) -> tuple[FloatArray, Parameters]:
    if chance(rng, 0.6):
        flux = _absorbing_disc(rng)
    else:
        flux = power_law(rng.uniform(-2.8, -1.2)) * smooth_warp(rng, 0.03)
    parameters = _donor(flux, float(rng.choice([0.0, rng.uniform(0.05, 0.4)], p=[0.7, 0.3])), rng)
    alpha, fwhm = log_uniform(rng, 6, 60), log_uniform(rng, 400, 1400)
    ionised = log_uniform(rng, 0.1, 0.9)
    flat, helium = rng.uniform(0.35, 0.9), rng.uniform(0.08, 0.3)
    _disc_emission(flux, alpha, flat, helium, ionised, fwhm, rng, double=0.15)
    if chance(rng, 0.2):
        _absorb_cores(flux, rng)
    parameters |= {"ew_alpha": round(alpha, 1), "fwhm_kms": round(fwhm)}
    return flux, parameters | {"he_ii": round(ionised, 2)}


def _cyclotron(flux: FloatArray, strength: float, rng: Rng) -> None:
    """Add the cyclotron humps of a magnetic accretion column."""
    fundamental = rng.uniform(9000, 26000)
    for harmonic in range(1, 6):
        centre = fundamental / harmonic
        if 3500 < centre < 10500:
            sigma = rng.uniform(450, 1500) / 2.35
            flux += strength * rng.uniform(0.4, 1.0) * np.exp(-0.5 * ((GRID - centre) / sigma) ** 2)


def _polar(rng: Rng) -> tuple[FloatArray, Parameters]:
    flux = power_law(rng.uniform(-1.8, 0.4)) * smooth_warp(rng, 0.05)
    if chance(rng, 0.6):
        _cyclotron(flux, log_uniform(rng, 0.15, 1.5), rng)
    parameters = _donor(flux, float(rng.choice([0.0, rng.uniform(0.05, 0.6)], p=[0.5, 0.5])), rng)
    alpha = log_uniform(rng, 8, 150)
    fwhm = rng.uniform(280, 650)
    flat, ionised = rng.uniform(0.7, 1.5), log_uniform(rng, 0.35, 2.0)
    helium = rng.uniform(0.12, 0.35)
    _disc_emission(flux, 0.65 * alpha, flat, helium, ionised, fwhm, rng, double=0.0)
    base = _Lines(flux, rng.uniform(1000, 1600), 0.0, 0.0, rng)
    offset = 1 + rng.normal(0, 250) / LIGHT_KMS
    for wavelength, share in (
        (6564.61, 0.35), (4862.69, 0.35 * flat), (4686.99, 0.3 * flat * ionised),
    ):  # fmt: skip
        base.add(wavelength * offset, alpha * share)
    parameters |= {"ew_alpha": round(alpha, 1), "fwhm_kms": round(float(fwhm))}
    return flux, parameters | {"he_ii": round(float(ionised), 2)}


def _polar_low(rng: Rng) -> tuple[FloatArray, Parameters]:
    """A polar that hardly accretes: white dwarf, donor, humps, weak narrow lines."""
    flux = planck(rng.uniform(8000, 13000)) * smooth_warp(rng, 0.03)
    _cyclotron(flux, log_uniform(rng, 0.2, 4.0), rng)
    parameters = _donor(flux, float(rng.uniform(0.2, 0.8)), rng)
    alpha = log_uniform(rng, 2, 30)
    flat, fwhm = rng.uniform(0.5, 1.0), rng.uniform(200, 400)
    _disc_emission(flux, alpha, flat, 0.05, 0.03, fwhm, rng, double=0.0)
    return flux, parameters | {"ew_alpha": round(alpha, 1)}


def _am_cvn(rng: Rng) -> tuple[FloatArray, Parameters]:
    """A helium disc without any hydrogen."""
    flux = 0.5 * power_law(rng.uniform(-2.6, -1.2)) + 0.5 * planck(rng.uniform(11000, 25000))
    flux *= smooth_warp(rng, 0.03)
    helium, fwhm = log_uniform(rng, 4, 40), log_uniform(rng, 800, 2200)
    split = rng.uniform(0.45, 0.65) if chance(rng, 0.6) else 0.0
    lines = _Lines(flux, fwhm, float(split), 0.0, rng)
    for wavelength, share in HE_I.items():
        lines.add(wavelength, helium * share * rng.lognormal(0, 0.15))
    lines.add(4686.99, helium * rng.uniform(0.1, 0.9))
    lines.add(7283.36, helium * 0.25)
    return flux, {"ew_4471": round(helium, 1), "fwhm_kms": round(fwhm)}
