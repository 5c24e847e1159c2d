"""F to M stars, M giants and S stars."""

from functools import cache

import numpy as np

from agent.spectra.spectrum import FloatArray
from train.simulate.sky import bands
from train.simulate.sky.line_blanketing import (
    Atmosphere,
    add_atoms,
    add_cool_hydrogen,
    add_g_band,
    add_heavy,
    add_strong_metals,
    balmer_jump,
    lines_between_bands,
    unresolved_lines,
)
from train.simulate.sky.physics import (
    SIZE,
    chance,
    log_uniform,
    pick,
    planck,
    power_law,
    reddening,
    smooth_warp,
    truncated_normal,
    vacuum,
    value_at,
)
from train.simulate.sky.profiles import add_gaussian, add_head, add_stark, stark_half_width
from train.simulate.source import GRID, Parameters, Rng, Source

BALMER = (6564.61, 4862.69, 4341.69, 4102.90, 3971.19, 3890.15)

LATEST = 8.0  # L8; later types are too faint below one micrometre for these surveys.
SODIUM = (5891.58, 5897.56)
POTASSIUM = (7667.01, 7701.08)


def disc_velocity(rng: Rng, halo: float = 0.08) -> float:
    """Velocity in km/s of a disc star, or with odds `halo` of a halo star."""
    return float(rng.normal(0.0, 120.0 if chance(rng, halo) else 40.0))


def dust(rng: Rng, low: float, high: float) -> tuple[FloatArray, float]:
    """Transmission of dust with log-uniform E(B-V) and some scatter of R_V, and the E(B-V)."""
    ebv = log_uniform(rng, low, high)
    return reddening(ebv, truncated_normal(rng, 3.1, 0.15, 2.6, 3.8)), ebv


def emission_over(flux: FloatArray, wavelength: float, width: float, fwhm_kms: float) -> None:
    """Add an emission line of equivalent width `width`, in angstrom, to `flux`."""
    line = np.zeros(SIZE)
    add_gaussian(line, wavelength, width * max(value_at(flux, wavelength), 1e-6), fwhm_kms)
    flux += line


def sunlike(label: str, rng: Rng) -> Source:
    """An F, G or K dwarf or giant."""
    low, high = {"F": (6000, 7300), "G": (5150, 6000), "K": (3950, 5150)}[label]
    kelvin = float(rng.uniform(low, high))
    giant = chance(rng, {"F": 0.1, "G": 0.4, "K": 0.7}[label])
    log_g = float(rng.uniform(1.2, 3.2) if giant else rng.uniform(4.0, 4.8))
    star = Atmosphere(kelvin, log_g, truncated_normal(rng, -0.25, 0.4, -2.2, 0.45))
    flux = sunlike_flux(star, rng)
    extinction, ebv = dust(rng, 0.01, 0.9 if giant else 0.3)
    parameters: Parameters = {"kelvin": round(star.kelvin, 1), "log_g": round(star.log_g, 2)}
    parameters |= {"metallicity": round(star.metallicity, 2), "ebv": round(ebv, 3)}
    subtype = f"{label} {'giant' if giant else 'dwarf'}"
    return Source(label, subtype, flux * extinction, disc_velocity(rng), parameters=parameters)


def sunlike_flux(star: Atmosphere, rng: Rng, ch: float = 1.0) -> FloatArray:
    """Flux of an F to K photosphere before dust."""
    tau = np.zeros(SIZE)
    add_atoms(tau, star, rng)
    add_strong_metals(tau, star, rng)
    add_cool_hydrogen(tau, star)
    add_g_band(tau, star, ch * 10 ** (0.3 * star.metallicity), rng)
    cool = float(np.clip((5600 - star.kelvin) / 1200, 0, 1))
    if cool > 0:
        giant = star.log_g < 3.5
        metals = 10 ** (0.5 * star.metallicity)
        giants, dwarfs = (0.55, 0.07, 0.10), (0.25, 0.02, 0.03)
        strengths = zip(
            ("CNv", "C2", "CN"), giants if giant else dwarfs, (0.35, 0.4, 0.4), strict=True
        )
        for molecule, strength, scatter in strengths:
            each = strength * cool * metals * rng.lognormal(0, scatter)
            tau += each * bands.anchors("carbon")[2].tau[molecule]
        magnesium = bands.anchors("dwarf")[1].tau.get("MgH")
        if magnesium is not None:
            tau += magnesium * cool * (0.2 if giant else 0.8) * rng.lognormal(0, 0.3)
    very_cool = float(np.clip((4250 - star.kelvin) / 500, 0, 1))
    if very_cool > 0:
        kind = "giant" if star.log_g < 3.5 else "dwarf"
        tau += very_cool * rng.uniform(0.2, 0.7) * bands.anchors(kind)[-1].tau["TiO"]
    continuum = planck(star.kelvin * rng.normal(1.02, 0.02)) * balmer_jump(star)
    return continuum * np.exp(-tau) * smooth_warp(rng, 0.04)


def m_giant(rng: Rng, level: float | None = None) -> tuple[FloatArray, float, Parameters]:
    """Flux of an M giant, its TiO5 (0.75 at M0 to 0.16 at M9), and its parameters."""
    if level is None:
        level = float(rng.choice([rng.uniform(0.5, 0.78), rng.uniform(0.16, 0.6)]))
    tio5 = level
    anchor = _giant_bands(tio5, rng)
    vanadium = rng.lognormal(0, 0.25)
    strengths = {"TiO": rng.lognormal(0, 0.08), "VO": vanadium}
    kelvin = float(np.interp(tio5, (0.16, 0.3, 0.5, 0.7, 0.85), (2700, 3250, 3550, 3800, 3950)))
    star = Atmosphere(kelvin, rng.uniform(0.2, 1.8), truncated_normal(rng, -0.1, 0.3, -1.2, 0.4))
    tau = np.zeros(SIZE)
    _add_giant_lines(tau, star, rng, fade=float(np.clip((tio5 - 0.1) / 0.5, 0.3, 1.0)))
    flux = np.exp(anchor.log_continuum - tau) * bands.transmission(anchor, strengths, rng)
    flux *= smooth_warp(rng, 0.10) * planck(kelvin * rng.normal(1, 0.03)) / planck(kelvin)
    parameters: Parameters = {"tio5_anchor": round(tio5, 3), "kelvin": round(kelvin)}
    return flux, tio5, parameters | {"log_g": round(star.log_g, 2)}


def _giant_bands(tio5: float, rng: Rng) -> bands.Anchor:
    """Bands of this TiO5 in the red, and of a slightly earlier or later giant in the blue.

    TiO5 saturates: two of the latest giants with the same value can differ twofold in their blue
    bands. MgH and some ZrO are added because the fit of giants does not include them.
    """
    late = float(np.clip((0.5 - tio5) / 0.2, 0, 1))
    red = bands.interpolate("giant", tio5)
    other = tio5 + rng.normal(0.02 * late, 0.02 + 0.09 * late)
    blue = bands.interpolate("giant", float(np.clip(other, 0.16, 0.8)))
    giant = bands.mixed(blue, red, np.clip((GRID - 5900.0) / 400.0, 0, 1), tio5)
    giant.tau["MgH"] = bands.anchors("dwarf")[-1].tau["MgH"] * float(rng.uniform(0.1, 0.7))
    zirconium = rng.uniform(0, 0.2) + late * rng.uniform(0.05, 0.25)
    giant.tau["ZrO"] = zirconium * _zirconium_oxide(bands.anchors("s")[0])
    return giant


def _add_giant_lines(tau: FloatArray, star: Atmosphere, rng: Rng, fade: float) -> None:
    """Add atomic lines; the smooth continuum of the anchors already holds their mean depth.

    Neither the break at 4000 angstrom nor CH gets weaker where TiO is strong: giants of MILES have
    a break of 2.4 to 2.8 whatever their TiO, those of the surveys one of 2.1 to 3.1.
    """
    tau += 0.6 * fade * lines_between_bands(star, rng)
    strong = np.zeros(SIZE)
    add_strong_metals(strong, star, rng, calcium=2.4, light=0.3)
    tau += (0.4 + 0.6 * fade) * strong + unresolved_lines() * rng.uniform(0.8, 1.4)
    tau -= 0.2 * np.clip((4400.0 - GRID) / 100.0, 0, 1)
    add_g_band(tau, star, rng.uniform(0.5, 1.5), rng)
    add_gaussian(tau, 6564.61, rng.uniform(0.5, 1.4) * fade, 90.0)
    add_gaussian(tau, 4862.69, rng.uniform(0.2, 1.0) * fade, 90.0)


def mg(rng: Rng) -> Source:
    flux, tio5, parameters = m_giant(rng)
    subtype = "MG early" if tio5 > 0.6 else "MG mid" if tio5 > 0.35 else "MG late"
    if tio5 < 0.45 and chance(rng, 0.2):
        subtype = "MG Mira"
        delta = log_uniform(rng, 3, 40)
        for wavelength, share in ((4102.90, 1.0), (4341.69, 0.5), (3890.15, 0.4), (4862.69, 0.08)):
            emission_over(flux, wavelength, delta * share * rng.uniform(0.6, 1.4), 120.0)
        if chance(rng, 0.5):
            emission_over(flux, 6564.61, rng.uniform(0.2, 2.0), 120.0)
    extinction, ebv = dust(rng, 0.01, 0.8)
    parameters["ebv"] = round(ebv, 3)
    return Source("MG", subtype, flux * extinction, disc_velocity(rng, 0.15), parameters=parameters)


def m_dwarf_flux(rng: Rng, tio5: float) -> FloatArray:
    """Flux of an M dwarf with this TiO5."""
    anchor = bands.interpolate("dwarf", tio5)
    hydride = rng.lognormal(0, 0.2)
    strengths = {"TiO": rng.lognormal(0, 0.1), "CaH": hydride, "CaHB": hydride}
    strengths["MgH"] = rng.lognormal(0, 0.25)
    tau = np.zeros(SIZE)
    star = Atmosphere(3900.0, 4.8, truncated_normal(rng, -0.1, 0.3, -1.2, 0.4))
    tau += 0.45 * lines_between_bands(star, rng) + unresolved_lines() * rng.uniform(0.2, 0.9)
    cool = float(np.clip((0.9 - tio5) / 0.5, 0, 1))
    areas = (
        (5891.58, rng.uniform(1.3, 2.1) + 1.8 * cool),
        (5897.55, rng.uniform(1.0, 1.7) + 1.6 * cool),
        (8185.51, 0.6 + 1.0 * cool), (8197.07, 0.9 + 1.4 * cool), (7667.01, 0.3 + 0.8 * cool),
        (7701.08, 0.3 + 0.7 * cool), (4227.92, 16 + 16 * cool), (8500.35, 0.45 - 0.25 * cool),
        (8544.44, 1.2 - 0.6 * cool), (8664.52, 1.0 - 0.5 * cool), (3934.77, 6.0), (3969.59, 5.0),
        (6574.60, 0.15 + 0.3 * cool), (6104.4, 0.4), (6123.9, 0.6), (6163.88, 0.7),
    )  # fmt: skip
    for wavelength, area in areas:
        each = area * rng.lognormal(0, 0.12)
        depth = 1.6 if wavelength == 4227.92 else 0.8
        add_stark(tau, wavelength, depth, max(stark_half_width(each, depth, 1.8), 0.4), 1.8)
    kelvin = float(np.interp(tio5, (0.25, 0.5, 0.87), (2900, 3300, 3850)))
    warm = planck(kelvin * rng.normal(1, 0.03)) / planck(kelvin)
    flux = np.exp(anchor.log_continuum - tau) * bands.transmission(anchor, strengths, rng)
    return flux * warm * smooth_warp(rng, 0.08)


def add_chromosphere(flux: FloatArray, alpha: float, rng: Rng) -> None:
    """Add Balmer and Ca II emission of an active M dwarf; `alpha` is EW(H alpha) in angstrom."""
    decrement = (1.0, rng.uniform(0.9, 1.6), rng.uniform(1.0, 2.0), rng.uniform(0.9, 2.0), 1.2, 0.8)
    for wavelength, share in zip(BALMER, decrement, strict=True):
        emission_over(flux, wavelength, alpha * share, 110.0)
    for wavelength in (3934.77, 3969.59):
        emission_over(flux, wavelength, alpha * rng.uniform(1.0, 3.0), 90.0)


def m_dwarf(rng: Rng) -> Source:
    tio5 = float(rng.uniform(0.27, 0.9))
    flux = m_dwarf_flux(rng, tio5)
    subtype = "M dwarf"
    alpha = 0.0
    if chance(rng, 0.4):
        alpha = log_uniform(rng, 0.7, 15)
        subtype = "M dwarf active"
        add_chromosphere(flux, alpha, rng)
    ebv = log_uniform(rng, 0.002, 0.08)
    flux *= reddening(ebv)
    parameters: Parameters = {"tio5": round(tio5, 3), "ew_alpha": round(alpha, 2)}
    parameters["ebv"] = round(ebv, 3)
    return Source("M_DWARF", subtype, flux, disc_velocity(rng), parameters=parameters)


def ss(rng: Rng) -> Source:
    """An MS, S or SC star."""
    kind = pick(rng, {"MS": 0.55, "S": 0.35, "SC": 0.10})
    zirconium = {"MS": (0.6, 1.1), "S": (0.9, 2.4), "SC": (0.3, 0.8)}[kind]
    titanium = {"MS": (0.7, 1.2), "S": (0.15, 0.9), "SC": (0.0, 0.25)}[kind]
    tio5 = float(rng.uniform(0.3, 0.68))
    zro, tio = log_uniform(rng, *zirconium), float(rng.uniform(*titanium))
    giant = _giant_bands(tio5, rng)
    special = bands.interpolate("s", float(rng.uniform(1, 2)))
    yttrium, lanthanum = rng.lognormal(-0.7, 0.5) * zro**0.5, 0.0
    if kind != "MS" and chance(rng, 0.5):
        lanthanum = log_uniform(rng, 0.3, 2.0)
    tau = np.zeros(SIZE)
    tau += tio * giant.tau["TiO"] + rng.uniform(0, 0.8) * tio * giant.tau["VO"]
    tau += zro * _zirconium_oxide(special) + giant.tau["MgH"]
    tau += yttrium * special.tau["YO"] + lanthanum * _lanthanum_oxide()
    if kind == "SC":
        tau += rng.uniform(0.3, 0.9) * bands.anchors("carbon")[2].tau["CN"]
    tau *= smooth_warp(rng, bands.SYSTEM_SPREAD)
    kelvin = float(np.interp(tio5, (0.3, 0.68), (3100, 3800)))
    star = Atmosphere(kelvin, rng.uniform(0.2, 1.6), truncated_normal(rng, -0.1, 0.25, -0.8, 0.3))
    _add_giant_lines(tau, star, rng, fade=0.9)
    barium = log_uniform(rng, 0.3, 1.6)
    add_heavy(tau, barium, (1.0, 0.8, 0.6, 0.7), 90.0)
    if kind == "SC":
        for wavelength in (5891.58, 5897.55):
            add_stark(tau, wavelength, 0.9, rng.uniform(1.5, 3.0), 2.0)
    flux = np.exp(giant.log_continuum - tau) * smooth_warp(rng, 0.10)
    if chance(rng, 0.15):
        for wavelength, share in ((6564.61, 0.5), (4862.69, 0.4), (4341.69, 1.0), (4102.90, 1.2)):
            emission_over(flux, wavelength, rng.uniform(1, 8) * share, 120.0)
    extinction, ebv = dust(rng, 0.01, 1.0)
    parameters: Parameters = {
        "zro": round(zro, 3), "tio": round(tio, 3), "tio5_base": round(tio5, 3),
        "lao": round(lanthanum, 3), "yo": round(float(yttrium), 3), "ebv": round(ebv, 3),
    }  # fmt: skip
    return Source("SS", kind, flux * extinction, disc_velocity(rng, 0.15), parameters=parameters)


def _zirconium_oxide(special: bands.Anchor) -> FloatArray:
    """ZrO with its head at 6345, which the fit mistakes for TiO 6351."""
    return special.tau["ZrO"] + _zirconium_6345()


@cache
def _zirconium_6345() -> FloatArray:
    tau = np.zeros(SIZE)
    add_head(tau, vacuum(6344.8), 0.19, 40.0, "red")
    return tau


@cache
def _lanthanum_oxide() -> FloatArray:
    """Red LaO bands with strengths set by hand, as the fitted S stars end blueward of them."""
    tau = np.zeros(SIZE)
    for air, depth in (
        (7379.8, 0.2), (7403.5, 0.3), (7433, 0.15), (7876.8, 0.2), (7910.3, 0.3), (7943, 0.15),
    ):  # fmt: skip
        add_head(tau, vacuum(air), depth, 40.0, "red")
    return tau


def l_dwarf(rng: Rng) -> Source:
    """An L0 to L8 dwarf."""
    subtype = float(rng.uniform(0.0, LATEST))
    flux = _continuum(subtype, rng) * np.exp(-_molecules(subtype, rng) - _atoms(subtype, rng))
    alpha = 0.0
    if subtype < 5.0 and chance(rng, 0.3):
        alpha = log_uniform(rng, 1.0, 15.0)
        emission_over(flux, 6564.61, alpha, 110.0)
    stated: Parameters = {"subtype": round(subtype, 1), "ew_alpha": round(alpha, 2)}
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
