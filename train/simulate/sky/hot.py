"""O, B and A stars, blue horizontal branch stars and hot subdwarfs."""

import numpy as np

from agent.spectra.spectrum import FloatArray
from train.simulate.sky.cool import disc_velocity, dust, emission_over
from train.simulate.sky.line_blanketing import Atmosphere, add_atoms, add_strong_metals
from train.simulate.sky.physics import (
    SIZE,
    chance,
    jump,
    log_uniform,
    pick,
    planck,
    smooth_warp,
    truncated_normal,
    value_at,
)
from train.simulate.sky.profiles import add_double, add_gaussian, add_stark, stark_half_width
from train.simulate.source import GRID, Parameters, Rng, Source

BALMER_N: tuple[int, ...] = tuple(range(3, 31))
BALMER = tuple(3647.06 / (1 - 4 / n**2) for n in BALMER_N)  # vacuum: limit 3647.06
PASCHEN_N: tuple[int, ...] = tuple(range(8, 26))
PASCHEN = tuple(8205.9 / (1 - 9 / n**2) for n in PASCHEN_N)

HE_I = {
    3820.69: 0.6, 3868.59: 0.2, 3889.75: 0.5, 3927.65: 0.25, 3965.85: 0.35, 4010.39: 0.25,
    4027.33: 1.1, 4122.05: 0.25, 4144.93: 0.5, 4389.16: 0.7, 4472.73: 1.0, 4714.47: 0.35,
    4923.30: 0.65, 5017.08: 0.35, 5877.25: 0.9, 6679.99: 0.7, 7067.14: 0.55, 7283.36: 0.25,
}  # fmt: skip
HE_II = {
    3924.6: 0.25, 4026.7: 0.3, 4101.2: 0.4, 4201.01: 0.75, 4339.9: 0.4, 4542.86: 1.0,
    4686.99: 0.9, 4860.6: 0.5, 5413.03: 1.2, 6561.9: 0.5, 6684.9: 0.3, 8238.9: 0.4,
}  # fmt: skip


def add_series(
    tau: FloatArray,
    gamma: float,
    depth: float,
    decay: float,
    power: float,
    alpha: float = 0.75,
    fall: float = 1.5,
) -> None:
    """Add Balmer absorption; `gamma` is EW(H gamma) in angstrom.

    The strength of the line to level n goes as exp(-((n-5)/decay)**fall): a white dwarf (decay 3)
    has no lines beyond H9, a supergiant (decay 15) more than twenty.
    """
    for n, wavelength in zip(BALMER_N, BALMER, strict=True):
        share = {3: alpha, 4: 1.0}.get(n, float(np.exp(-((max(n - 5, 0) / decay) ** fall))))
        area = gamma * share
        if area < 0.05:
            break
        line_depth = min(depth * (0.88 if n == 3 else 1.0) * min(1.0, 0.4 + 0.6 * share), 0.93)
        half_width = max(stark_half_width(area, line_depth, power), 0.8)
        add_stark(tau, wavelength, -np.log1p(-line_depth), half_width, power)


def add_paschen(tau: FloatArray, area: float) -> None:
    """Add wide and shallow Paschen absorption; `area` is the EW of P12 in angstrom."""
    half_width = float(np.clip(4.0 + 1.0 * area, 4.0, 9.5))
    for n, wavelength in zip(PASCHEN_N, PASCHEN, strict=True):
        each = area * float(np.exp(-((max(n - 12, 0) / 9.0) ** 1.5)))
        if each > 0.05 and wavelength < GRID[-1] + 80:
            add_stark(tau, wavelength, each / (np.pi * half_width), half_width, 2.0)


def add_scaled(
    tau: FloatArray, lines: dict[float, float], area: float, fwhm_kms: float, rng: Rng
) -> None:
    for wavelength, share in lines.items():
        each = area * share * rng.lognormal(0, 0.15)
        if each > 0.01:
            add_gaussian(tau, wavelength, each, fwhm_kms)


def add_interstellar(tau: FloatArray, ebv: float, rng: Rng) -> None:
    """Add interstellar Ca II, Na I and the diffuse bands, scaled with E(B-V)."""
    for wavelength, nearby, scale, fwhm in (
        (3934.77, 0.08, 0.5, 60.0), (3969.59, 0.05, 0.3, 60.0),
        (5891.58, 0.03, 0.55, 60.0), (5897.55, 0.02, 0.42, 60.0),
        (4429.5, 0, 2.2, 1300.0), (5782.1, 0, 0.5, 130.0), (5798.7, 0, 0.15, 110.0),
        (6285.4, 0, 1.0, 230.0), (6615.4, 0, 0.2, 70.0),
    ):  # fmt: skip
        amount = (nearby + scale * min(ebv, 1.5)) * rng.lognormal(0, 0.25)
        if amount > 0.02:
            add_gaussian(tau, wavelength, amount, fwhm)


_GAMMA = ((7400, 8200, 9000, 9800, 10500, 11200, 12900, 15000, 18700, 21500, 27000, 32000, 45000),
          (9.8, 13.5, 15.5, 16.0, 14.5, 12.8, 9.2, 8.4, 7.2, 5.7, 5.0, 3.5, 2.2))  # fmt: skip
_JUMP = ((7000, 8000, 9500, 11000, 14000, 20000, 30000, 45000),
         (0.75, 1.05, 1.25, 1.1, 0.75, 0.45, 0.15, 0.05))  # fmt: skip
# Colour temperature of the Paschen continuum, which hydrogen makes bluer than Teff.
_COLOUR = ((7000, 8000, 9500, 11000, 15000, 25000, 45000),
           (7900, 9800, 14000, 16000, 20000, 30000, 48000))  # fmt: skip
A_KINDS = {
    "A V": 0.56, "A III": 0.10, "A I": 0.06, "Am": 0.08, "Ap": 0.05, "BHB": 0.12, "Ae": 0.03,
}  # fmt: skip
# Strength of the helium lines of an O star.
_HE_II = ((30000, 32000, 35000, 38000, 42000, 46000), (0.12, 0.25, 0.5, 0.8, 1.0, 1.1))
_HE_I = ((30000, 33000, 36000, 40000, 46000), (0.95, 0.85, 0.65, 0.35, 0.08))
SUBDWARFS = {"sdB": 0.55, "sdOB": 0.2, "sdO": 0.13, "He-sdO": 0.12}


def hydrogen_star(
    kelvin: float, luminosity: float, rng: Rng, gamma_scale: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Continuum and optical depth of an O to A star; `luminosity` 0 is a dwarf, 1 a supergiant."""
    gamma = float(np.interp(kelvin, *_GAMMA)) * (1 - 0.72 * luminosity) * gamma_scale
    gamma *= rng.lognormal(0, 0.09)
    tau = np.zeros(SIZE)
    warm = float(np.clip((kelvin - 7400) / 2000, 0, 1))
    alpha = float(np.interp(kelvin, (7400, 9500, 15000, 30000), (0.85, 0.82, 0.85, 1.05)))
    power = rng.uniform(1.7, 2.1)
    depth = float(np.clip(0.2 + 0.48 * gamma / 11 + 0.15 * luminosity, 0.15, 0.72))
    # In MILES and STELIB H10 is half as strong as H gamma from A to B5, and 0.6 to 0.7 in early B.
    decay = float(np.interp(kelvin, (9500, 15000, 22000, 30000), (11.5, 11, 10, 7.5)))
    decay += 4 * luminosity
    add_series(tau, gamma, depth, decay, power, alpha, 2.5)
    add_paschen(tau, 11.0 * warm * (gamma / 14) ** 1.1)
    size = float(np.interp(kelvin, *_JUMP)) * (1 + 0.15 * luminosity)
    continuum = planck(float(np.interp(kelvin, *_COLOUR)) * rng.normal(1, 0.02))
    continuum *= jump(0.9 * size, 3690.0, 14.0) * jump(0.06 * size, 8230.0, 60.0)
    return continuum * smooth_warp(rng, 0.02), tau


def rotation(rng: Rng, low: float, high: float) -> float:
    return float(np.hypot(rng.uniform(low, high) * 1.6, 60.0))


def a_star(rng: Rng) -> Source:
    kelvin = float(rng.uniform(7400, 10400))
    kind = pick(rng, A_KINDS)
    luminosity = {"A I": rng.uniform(0.6, 1.0), "A III": rng.uniform(0.1, 0.3)}.get(kind, 0.0)
    odd = {"Am": 0.4, "Ap": 0.1, "BHB": rng.uniform(-2.2, -1.2)}
    metallicity = odd.get(kind, rng.normal(-0.1, 0.25))
    continuum, tau = hydrogen_star(kelvin, luminosity, rng, 0.85 if kind == "BHB" else 1.0)
    star = Atmosphere(kelvin, 4.0 - 2.5 * luminosity, float(metallicity))
    add_atoms(tau, star, rng)
    add_strong_metals(tau, star, rng)
    width = rotation(rng, 20, 230)
    magnesium = 0.45 * 10 ** (0.5 * star.metallicity) * rng.lognormal(0, 0.15)
    add_gaussian(tau, 4482.46, magnesium, width)
    add_gaussian(tau, 7775.64, (0.6 + 1.0 * luminosity) * rng.lognormal(0, 0.2), width)
    metals = 10 ** (0.5 * star.metallicity) * rng.lognormal(0, 0.15)
    for wavelength, area in ((6348.86, 0.4), (6373.13, 0.25), (6159.0, 0.25)):  # Si II, O I
        add_gaussian(tau, wavelength, area * metals, width)
    if kind == "Ap":
        for wavelength, area in (
            (4078.86, 0.5), (4129.9, 0.6), (4132.06, 0.5), (4173.1, 0.4), (4206.2, 0.4),
        ):  # fmt: skip
            add_gaussian(tau, wavelength, area * rng.lognormal(0, 0.4), width)
    extinction, ebv = dust(rng, 0.02, 0.08 if kind == "BHB" else 0.9)
    add_interstellar(tau, ebv, rng)
    flux = continuum * np.exp(-tau)
    if kind == "Ae":
        _add_disc(flux, log_uniform(rng, 2, 25), rng)
    velocity = disc_velocity(rng, 0.9 if kind == "BHB" else 0.05)
    parameters: Parameters = {"kelvin": round(kelvin), "ebv": round(ebv, 3)}
    return Source("A", kind, flux * extinction, velocity, parameters=parameters)


def _add_disc(flux: FloatArray, alpha: float, rng: Rng) -> None:
    """Add Be-type emission with EW(H alpha) `alpha` in angstrom, half of it double-peaked."""
    fwhm, split = rng.uniform(150, 480), rng.choice([0.0, 0.55])
    for wavelength, share in ((6564.61, 1.0), (4862.69, 0.12), (4341.69, 0.03)):
        line = np.zeros(SIZE)
        area = alpha * share * max(value_at(flux, wavelength * 1.006), 1e-9)
        add_double(line, wavelength, area, fwhm, split, rng.normal(0, 0.1))
        flux += line


def b_star(rng: Rng) -> Source:
    kelvin = float(np.clip(log_uniform(rng, 10400, 30500), 10400, 30500))
    classes = [0.0, rng.uniform(0.1, 0.4), rng.uniform(0.5, 1.0)]  # V, III and I
    luminosity = float(rng.choice(classes, p=[0.65, 0.2, 0.15]))
    continuum, tau = hydrogen_star(kelvin, luminosity, rng)
    width = rotation(rng, 20, 320)
    helium = float(np.interp(kelvin, (10000, 11500, 14000, 18000, 21000, 26000, 31000),
                             (0.03, 0.2, 0.75, 1.3, 1.45, 1.1, 0.75)))  # fmt: skip
    kind = "B V" if luminosity == 0 else "B III" if luminosity < 0.45 else "B I"
    if luminosity == 0 and chance(rng, 0.12):
        kind, factor = ("B He-weak", 0.3) if chance(rng, 0.6) else ("B He-strong", 1.9)
        helium *= factor
    add_scaled(tau, HE_I, helium, width, rng)
    warm = float(np.interp(kelvin, (10500, 15000, 22000, 30000), (1.0, 0.6, 0.3, 0.1)))
    for wavelength, area in (
        (4482.46, 0.38 * warm), (7775.64, 0.7 * warm), (6348.86, 0.35 * warm),
        (6373.13, 0.22 * warm), (4129.21, 0.2 * warm), (4132.06, 0.2 * warm),
    ):  # fmt: skip
        add_gaussian(tau, wavelength, area * rng.lognormal(0, 0.2), width)
    hot = float(np.exp(-(((kelvin - 24000) / 6000) ** 2))) * (1 + luminosity)
    for wavelength, area in (
        (4553.90, 0.25), (4569.12, 0.18), (4575.9, 0.1), (4268.35, 0.2), (4650.43, 0.3),
        (4073.30, 0.25), (4090.01, 0.2), (3996.1, 0.15),
    ):  # fmt: skip
        add_gaussian(tau, wavelength, area * hot * rng.lognormal(0, 0.25), width)
    extinction, ebv = dust(rng, 0.01, 1.8)
    add_interstellar(tau, ebv, rng)
    flux = continuum * np.exp(-tau)
    if luminosity < 0.5 and chance(rng, 0.12):
        kind = "Be"
        _add_disc(flux, log_uniform(rng, 3, 50), rng)
    parameters: Parameters = {"kelvin": round(kelvin), "he_i": round(helium, 2)}
    parameters["ebv"] = round(ebv, 3)
    return Source("B", kind, flux * extinction, disc_velocity(rng, 0.04), parameters=parameters)


def o_star(rng: Rng) -> Source:
    kelvin = float(rng.uniform(30500, 46000))
    classes = [0.0, rng.uniform(0.2, 0.5), rng.uniform(0.5, 0.9)]
    luminosity = float(rng.choice(classes, p=[0.5, 0.25, 0.25]))
    continuum, tau = hydrogen_star(kelvin, 0.4 * luminosity, rng)
    width = rotation(rng, 40, 320)
    singly = float(np.interp(kelvin, *_HE_II))
    neutral = float(np.interp(kelvin, *_HE_I))
    add_scaled(tau, HE_II, singly, width, rng)
    add_scaled(tau, HE_I, 1.25 * neutral, width, rng)
    for wavelength, area in ((4090.01, 0.45), (4117.26, 0.3), (4650.43, 0.25)):
        cooler = float(np.interp(kelvin, (30000, 36000, 42000), (1.0, 0.4, 0.1)))
        each = area * cooler * (0.6 + luminosity) * rng.lognormal(0, 0.2)
        add_gaussian(tau, wavelength, each, width)
    extinction, ebv = dust(rng, 0.02, 2.2)
    add_interstellar(tau, ebv, rng)
    flux = continuum * np.exp(-tau)
    kind = "O"
    if luminosity > 0.3 or chance(rng, 0.2):
        kind = "Of"
        for wavelength, area in ((4641.94, 1.2), (4635.43, 0.8), (4686.99, 1.8), (6564.61, 2.5)):
            emission_over(flux, wavelength, area * luminosity * rng.lognormal(0, 0.4), width + 150)
    if chance(rng, 0.05):
        kind = "Oe"
        _add_disc(flux, log_uniform(rng, 3, 25), rng)
    if chance(rng, 0.12):
        kind += " nebula"
        add_nebula(flux, log_uniform(rng, 1, 25), rng)
    parameters: Parameters = {"kelvin": round(kelvin), "luminosity": round(luminosity, 2)}
    parameters["ebv"] = round(ebv, 3)
    return Source("O", kind, flux * extinction, disc_velocity(rng, 0.03), parameters=parameters)


def add_nebula(flux: FloatArray, alpha: float, rng: Rng) -> None:
    """Add narrow lines of an H II region; `alpha` is EW(H alpha) in angstrom."""
    excitation = log_uniform(rng, 0.2, 4.0)
    continuum = max(value_at(flux, 6600.0), 1e-9)
    nitrogen, sulphur = rng.uniform(0.08, 0.35), rng.uniform(0.08, 0.4)
    for wavelength, share in (
        (6564.61, 1.0), (4862.69, 0.35), (4341.69, 0.16), (4102.90, 0.09),
        (5008.24, 0.35 * excitation),
        (4960.29, 0.35 * excitation / 2.98), (6585.27, nitrogen), (6549.86, nitrogen / 3.05),
        (6718.29, sulphur), (6732.68, sulphur * rng.uniform(0.7, 1.1)), (3728.5, 0.6),
        (5877.25, 0.04),
        (9071.1, 0.08 * excitation), (9533.2, 0.2 * excitation),
    ):  # fmt: skip
        line = np.zeros(SIZE)
        add_gaussian(line, wavelength, alpha * share * continuum, 70.0)
        flux += line


def subdwarf(rng: Rng) -> Source:
    """An sdB, sdOB, sdO or He-sdO, with wider but fewer Balmer lines than a B star."""
    kind = pick(rng, SUBDWARFS)
    kelvins = {"sdB": rng.uniform(22000, 33000), "sdOB": rng.uniform(33000, 40000)}
    kelvin = float(kelvins.get(kind, rng.uniform(38000, 65000)))
    tau = np.zeros(SIZE)
    gammas = {
        "sdB": rng.uniform(4.5, 12),
        "sdOB": rng.uniform(3.5, 8),
        "sdO": rng.uniform(1.8, 5.5),
    }
    gamma = gammas.get(kind, rng.uniform(0.3, 1.5))
    # Hotter and denser stars have shallower lines that end sooner. In Oke's tables of Feige 34 and
    # BD+28 4211 H gamma is only 0.15 deep, but these are smoothed: the depths here are larger.
    depth, decay = {
        "sdB": (rng.uniform(0.28, 0.52), rng.uniform(4.8, 7.5)),
        "sdOB": (rng.uniform(0.22, 0.42), rng.uniform(4.0, 6.5)),
    }.get(kind, (rng.uniform(0.12, 0.36), rng.uniform(3.2, 6.0)))
    alpha = rng.uniform(0.75, 1.7 if kind == "sdO" else 1.2)
    add_series(tau, gamma, depth, decay, rng.uniform(1.6, 1.9), alpha)
    neutral = {"sdB": log_uniform(rng, 0.05, 1.0), "sdOB": rng.uniform(0.4, 1.4)}
    neutral["sdO"] = rng.uniform(0.2, 0.8)
    helium = neutral.get(kind, rng.uniform(1.2, 3.0))
    singly = {"sdB": 0.0, "sdOB": rng.uniform(0.1, 0.6), "sdO": rng.uniform(0.6, 1.8)}
    ionised = singly.get(kind, rng.uniform(0.8, 3.0))
    add_scaled(tau, HE_I, helium, rng.uniform(200, 420), rng)
    add_scaled(tau, HE_II, ionised, rng.uniform(250, 600), rng)
    flux = planck(kelvin * 1.05) * jump(rng.uniform(0.02, 0.25), 3670.0) * np.exp(-tau)
    flux *= smooth_warp(rng, 0.02)
    if chance(rng, 0.2):
        kind += "+MS"
        companion = planck(rng.uniform(4500, 6500))
        flux = flux + companion * rng.uniform(0.1, 0.8)
    extinction, ebv = dust(rng, 0.005, 0.3)
    velocity = float(rng.normal(0, truncated_normal(rng, 70, 20, 30, 150)))
    parameters: Parameters = {"kelvin": round(kelvin), "ew_gamma": round(gamma, 2)}
    parameters["ebv"] = round(ebv, 3)
    return Source("SDB", kind, flux * extinction, velocity, parameters=parameters)
