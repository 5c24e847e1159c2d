"""Look-alikes: symbiotic and young stars, nebulae, and artefacts without a source."""

import numpy as np

from agent.spectra.spectrum import FloatArray
from train.simulate.sky.cool import disc_velocity, dust, emission_over, m_giant, sunlike_flux
from train.simulate.sky.hot import HE_I, HE_II, a_star, add_nebula, b_star
from train.simulate.sky.line_blanketing import Atmosphere
from train.simulate.sky.physics import SIZE, chance, log_uniform, power_law, smooth_warp, value_at
from train.simulate.sky.profiles import add_gaussian
from train.simulate.source import Parameters, Rng, Source


def symbiotic(rng: Rng) -> Source:
    """An M giant with emission lines of the nebula around its hot companion."""
    flux, _, parameters = m_giant(rng, float(rng.uniform(0.25, 0.7)))
    flux = flux / value_at(flux, 6500)
    hot = rng.uniform(0.02, 0.3) * power_law(rng.uniform(-2.5, -1.0))
    flux = flux + hot
    alpha = log_uniform(rng, 15, 250)
    for wavelength, share in (
        (6564.61, 1.0), (4862.69, 0.45), (4341.69, 0.3), (4102.90, 0.2),
        (4686.99, rng.uniform(0.02, 0.4)),
        (5877.25, 0.08), (6679.99, 0.05), (7067.14, 0.06), (5008.24, rng.uniform(0, 0.4)),
        (4960.29, rng.uniform(0, 0.13)), (4364.44, rng.uniform(0, 0.2)),
        (3869.86, rng.uniform(0, 0.15)),
        (6088.66, rng.uniform(0, 0.06)), (6832.0, rng.uniform(0, 0.08)),
    ):  # fmt: skip
        fwhm = rng.uniform(700, 1300) if wavelength == 6832.0 else rng.uniform(90, 260)
        emission_over(flux, wavelength, alpha * share, fwhm)
    extinction, ebv = dust(rng, 0.05, 1.2)
    parameters |= {"ew_alpha": round(alpha, 1), "ebv": round(ebv, 3)}
    flux *= extinction
    return Source("SYMBIOTIC", "symbiotic", flux, disc_velocity(rng), parameters=parameters)


def young_star(rng: Rng) -> Source:
    """A T Tauri star: a veiled late-K or early-M photosphere with emission and lithium."""
    star = Atmosphere(float(rng.uniform(3950, 4800)), 4.0, 0.0)
    flux = sunlike_flux(star, rng)
    veiling = log_uniform(rng, 0.05, 1.0)
    flux = flux / value_at(flux, 6000) + veiling * power_law(rng.uniform(-1.5, 0.0))
    tau = np.zeros(SIZE)
    add_gaussian(tau, 6709.66, rng.uniform(0.2, 0.6), 70.0)
    flux *= np.exp(-tau)
    alpha = log_uniform(rng, 3, 120)
    classical = alpha > 10
    fwhm = rng.uniform(180, 480) if classical else rng.uniform(90, 160)
    for wavelength, share in (
        (6564.61, 1.0), (4862.69, 0.4), (4341.69, 0.25), (4102.90, 0.2), (3934.77, 0.7),
        (3969.59, 0.6),
    ):  # fmt: skip
        emission_over(flux, wavelength, alpha * share * rng.lognormal(0, 0.15), fwhm)
    if classical:
        for wavelength in (8500.35, 8544.44, 8664.52, 8448.7):
            emission_over(flux, wavelength, alpha * rng.uniform(0.02, 0.2), fwhm)
        if chance(rng, 0.5):
            for wavelength, share in (
                (6302.04, 1.0), (6365.54, 0.33), (6718.29, 0.3), (6732.68, 0.4),
            ):  # fmt: skip
                emission_over(flux, wavelength, rng.uniform(0.3, 3.0) * share, 100.0)
    extinction, ebv = dust(rng, 0.05, 1.5)
    kind = "CTTS" if classical else "WTTS"
    parameters: Parameters = {"ew_alpha": round(alpha, 1), "veiling": round(veiling, 2)}
    parameters["ebv"] = round(ebv, 3)
    return Source("YSO", kind, flux * extinction, disc_velocity(rng, 0.0), parameters=parameters)


def nebular(rng: Rng) -> Source:
    """A warm star behind an H II region, or a compact nebula with hardly any continuum."""
    if chance(rng, 0.3):
        flux = power_law(rng.uniform(-1.5, 0.5)) * smooth_warp(rng, 0.1)
        add_nebula(flux, log_uniform(rng, 80, 900), rng)
        if chance(rng, 0.5):
            for lines, share in ((HE_I, 0.15), (HE_II, 0.1)):
                for wavelength in list(lines)[:6]:
                    width = rng.uniform(1, 12) * share * lines[wavelength]
                    emission_over(flux, wavelength, width, 70.0)
        return Source("NEBULA", "compact nebula", flux, disc_velocity(rng, 0.1), parameters={})
    star = b_star(rng) if chance(rng, 0.4) else a_star(rng) if chance(rng, 0.5) else None
    if star:
        flux = star.flux.copy()
    else:
        flux = sunlike_flux(Atmosphere(float(rng.uniform(4200, 6800)), 4.0), rng)
    alpha = log_uniform(rng, 2, 60)
    add_nebula(flux, alpha, rng)
    kind = f"nebula over {star.label if star else 'cool star'}"
    parameters: Parameters = {"ew_alpha": round(alpha, 1)}
    return Source("NEBULA", kind, flux, float(rng.normal(0, 30)), parameters=parameters)


def artefact(rng: Rng) -> Source:
    """An exposure without a source: a smooth continuum or twilight."""
    slope = power_law(rng.uniform(-2.5, 2.5))
    flux: FloatArray = slope * smooth_warp(rng, log_uniform(rng, 0.05, 0.5))
    if chance(rng, 0.4):
        twilight = sunlike_flux(Atmosphere(5777.0, 4.44), rng)
        flux = flux * 0.3 + twilight * power_law(rng.uniform(-2.5, 0.0))
        return Source("ARTEFACT", "twilight", flux, float(rng.normal(0, 25)))
    return Source("ARTEFACT", "smooth", flux, 0.0)
