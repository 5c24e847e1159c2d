"""Wolf-Rayet stars, whose dense winds show only broad emission lines."""

import numpy as np

from agent.spectra.spectrum import FloatArray
from train.simulate.sky.cool import disc_velocity, dust, emission_over
from train.simulate.sky.hot import add_nebula
from train.simulate.sky.physics import (
    SIZE,
    chance,
    log_uniform,
    pick,
    planck,
    power_law,
    smooth_warp,
)
from train.simulate.sky.profiles import add_gaussian
from train.simulate.source import LIGHT_KMS, Parameters, Rng, Source

# Vacuum wavelength: equivalent width relative to the first line.
LATE_WN = {
    6564.0: 1.0, 4687.0: 0.6, 4862.7: 0.24, 4341.5: 0.11, 4102.0: 0.12, 5413.0: 0.1, 4542.9: 0.04,
    4201.0: 0.02, 4635.5: 0.12, 4642.0: 0.2, 4058.9: 0.06, 7113.0: 0.2, 5808.0: 0.04, 8238.9: 0.06,
    5877.3: 0.2, 6680.0: 0.13, 7067.1: 0.2, 4472.7: 0.05, 3889.7: 0.08, 4923.3: 0.03, 5017.1: 0.03,
}  # fmt: skip
"""WN7 to WN9, most of them with hydrogen: H alpha as strong as He II 4686, and He I lines."""
EARLY_WN = {
    4687.0: 1.0, 6561.9: 0.4, 5413.0: 0.2, 4860.6: 0.13, 4542.9: 0.1, 4339.9: 0.08, 4201.0: 0.06,
    4101.0: 0.09, 4604.5: 0.1, 4621.3: 0.1, 4642.0: 0.12, 4058.9: 0.1, 7113.0: 0.12, 5808.0: 0.06,
    6685.0: 0.03, 6893.0: 0.04, 8238.9: 0.12, 5877.3: 0.05,
}  # fmt: skip
"""WN3 to WN6, with helium doubly ionised."""
EARLY_WC = {
    4656.0: 1.0, 5808.0: 0.8, 5697.5: 0.04, 5592.0: 0.08, 6562.0: 0.12, 6742.0: 0.06, 7066.0: 0.12,
    7726.0: 0.13, 4442.0: 0.06, 4071.0: 0.1, 4188.0: 0.04, 4330.0: 0.06, 4788.0: 0.02, 5413.0: 0.05,
    5472.0: 0.05, 5877.3: 0.03, 8240.0: 0.06,
}  # fmt: skip
"""WC4 to WC6, with C IV and O V 5592."""
LATE_WC = {
    4652.0: 1.0, 5808.0: 0.45, 5697.5: 0.6, 6562.0: 0.15, 6742.0: 0.18, 7064.0: 0.12, 7236.0: 0.2,
    7726.0: 0.05, 4070.0: 0.16, 4188.0: 0.09, 4326.0: 0.08, 4516.0: 0.05, 4687.0: 0.12,
    5250.0: 0.02, 5306.0: 0.03, 5413.0: 0.03, 5877.3: 0.1, 6580.0: 0.1, 8502.0: 0.1, 8666.0: 0.05,
}  # fmt: skip
"""WC7 to WC9, with C III, and C II in the latest."""
HELIUM_TWO = (4201.0, 4542.9, 4687.0, 5413.0)
HELIUM_ONE = (3889.7, 4472.7, 5877.3, 7067.1)
"""Lines with P Cygni absorption where the wind is not too hot."""


def wolf_rayet(rng: Rng) -> Source:
    """A WN or WC star, or a central star of a planetary nebula that looks like one."""
    kind = pick(rng, {"WN": 0.6, "WC": 0.4})
    late = chance(rng, 0.6)
    flux = 0.5 * power_law(rng.uniform(-3.2, -2.2)) + 0.5 * planck(rng.uniform(25000, 60000))
    if kind == "WN":
        shares = LATE_WN if late else EARLY_WN
        strength = log_uniform(rng, 20, 160) if late else log_uniform(rng, 25, 350)
        fwhm = log_uniform(rng, 550, 1600) if late else log_uniform(rng, 1000, 3200)
    else:
        shares = LATE_WC if late else EARLY_WC
        strength = log_uniform(rng, 60, 500) if late else log_uniform(rng, 150, 1200)
        fwhm = log_uniform(rng, 900, 2400) if late else log_uniform(rng, 1800, 4500)
    if chance(rng, 0.3):  # a companion's light, or a blend on the fibre
        strength *= rng.uniform(0.15, 0.7)
    _add_wind(flux, shares, strength, fwhm, rng)
    if late:
        _absorb_ahead(flux, fwhm, rng)
    if chance(rng, 0.15):
        add_nebula(flux, log_uniform(rng, 2, 60), rng)
    extinction, ebv = dust(rng, 0.05, 2.2)
    flux = flux * extinction * smooth_warp(rng, 0.03)
    parameters: Parameters = {"type": "late" if late else "early", "fwhm_kms": round(fwhm)}
    parameters |= {"ew": round(strength, 1), "ebv": round(ebv, 3)}
    return Source("WR", kind, flux, disc_velocity(rng), parameters=parameters)


def _add_wind(
    flux: FloatArray, shares: dict[float, float], strength: float, fwhm: float, rng: Rng
) -> None:
    """Add the lines, each with its own scatter, and those of He II with a common one as well."""
    helium_two = rng.lognormal(0, 0.35)
    for wavelength, share in shares.items():
        width = strength * share * rng.lognormal(0, 0.25)
        if wavelength in HELIUM_TWO:
            width *= helium_two
        emission_over(flux, wavelength, width, fwhm * rng.lognormal(0, 0.08))


def _absorb_ahead(flux: FloatArray, fwhm: float, rng: Rng) -> None:
    """Absorb the blue side of the He I lines, as the wind in front of the star does."""
    depth = rng.uniform(0, 6)
    tau = np.zeros(SIZE)
    for wavelength in HELIUM_ONE:
        blue = wavelength * (1 - rng.uniform(0.7, 1.0) * fwhm / LIGHT_KMS)
        add_gaussian(tau, blue, depth * rng.uniform(0.4, 1.0), 0.5 * fwhm)
    flux *= np.exp(-tau)
