"""Atomic absorption of photospheres: named lines that follow temperature, and many weak lines."""

from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from scipy.special import expit

from agent.spectra.spectrum import FloatArray
from train.simulate.sky.physics import SIZE, jump, vacuum
from train.simulate.sky.profiles import add_gaussian, add_stark, stark_half_width
from train.simulate.source import GRID, Rng

INTRINSIC_KMS = 60.0
NARROWEST = 0.4  # half width of a damped line, angstrom
PATTERNS = 10  # patterns of weak lines, mixed at random in each star so that none identifies it
SOLAR_THETA = 5040.0 / 5777.0


@dataclass(frozen=True)
class Atmosphere:
    """The parameters that determine the strength of atomic lines."""

    kelvin: float
    log_g: float
    metallicity: float = 0.0

    @property
    def theta(self) -> float:
        return 5040.0 / self.kelvin


@cache
def named_lines() -> dict[str, FloatArray]:
    """Optical depth on GRID of each group of atomic.txt, at solar strength."""
    text = resources.files("train.simulate.sky").joinpath("atomic.txt").read_text()
    groups: dict[str, FloatArray] = {}
    out = np.zeros(SIZE)
    for line in text.splitlines():
        if line.startswith("["):
            out = groups.setdefault(line.strip("[]"), np.zeros(SIZE))
        elif not line.startswith("#"):
            numbers = [float(word) for word in line.split()]
            for air, milliangstrom in zip(numbers[::2], numbers[1::2], strict=True):
                add_gaussian(out, vacuum(air), milliangstrom / 1000, INTRINSIC_KMS)
    return groups


@cache
def weak_line_patterns() -> FloatArray:
    """Optical depth of weak lines, (PATTERNS, SIZE); denser towards the blue, as in the Sun."""
    rng = np.random.default_rng(3883)
    patterns = np.zeros((PATTERNS, SIZE))
    density = 0.34 * np.exp(-(GRID - 3800) / 520) + 0.012
    chance_per_pixel = 0.2
    for out in patterns:
        indices = np.flatnonzero(rng.random(SIZE) < chance_per_pixel)
        spikes = np.zeros(SIZE)
        spikes[indices] = rng.exponential(1.0, indices.size) ** 1.5 / 1.33 / chance_per_pixel
        kernel = np.exp(-0.5 * (np.arange(-6, 7) / 1.2) ** 2)
        out[:] = density * np.convolve(spikes, kernel / kernel.sum(), mode="same")
    return patterns


@cache
def unresolved_lines() -> FloatArray:
    """Optical depth of unresolved lines below the break at 4000 angstrom, about 1 at 3900."""
    depth = 0.3 + 0.4 * np.clip((4100 - GRID) / 300, 0, 1)
    return depth * expit((3992 - GRID) / 9) + 0.22 * expit((4320 - GRID) / 40)


def _neutral(kelvin: float) -> float:
    """Fraction of neutral metals, which ionisation reduces in warm stars."""
    return float(1.0 / (1.0 + np.exp((kelvin - 7700) / 420)))


def add_atoms(tau: FloatArray, star: Atmosphere, rng: Rng) -> None:
    """Add the metal lines of an F to M photosphere, and the few that A stars have."""
    groups, cooler = named_lines(), star.theta - SOLAR_THETA
    metals = 10.0 ** (0.6 * star.metallicity)
    neutral = _neutral(star.kelvin)
    ionised = 1.0 / (1.0 + np.exp((star.kelvin - 11500) / 900))
    jitter = rng.lognormal(0.0, 0.12, 5)
    tau += groups["neutral_low"] * (metals * neutral * jitter[0] * 10 ** min(1.25 * cooler, 0.5))
    tau += groups["neutral_high"] * (metals * neutral * jitter[1] * 10 ** min(0.6 * cooler, 0.2))
    tau += groups["coolest"] * (metals * neutral * jitter[0] * 10 ** min(2.0 * cooler, 0.75))
    tau += groups["calcium"] * (metals * neutral * jitter[2] * 10 ** min(1.3 * cooler, 0.5))
    gravity = 10 ** (0.11 * (4.4 - star.log_g))
    tau += groups["ion"] * (metals * ionised * gravity * jitter[3] * 10 ** (-0.2 * abs(cooler)))
    weak = metals * neutral * jitter[4] * 10 ** min((1.0 if cooler > 0 else 2.0) * cooler, 0.3)
    picks = rng.integers(0, PATTERNS, 2)
    tau += (weak_line_patterns()[picks[0]] + weak_line_patterns()[picks[1]]) * (0.5 * weak)
    weak *= float(np.interp(star.kelvin, (3500, 4300, 5000, 6500), (1.0, 0.9, 0.5, 0.2)))
    tau += unresolved_lines() * weak


def lines_between_bands(star: Atmosphere, rng: Rng) -> FloatArray:
    """Optical depth of the metals less its running mean, which band anchors already include."""
    lines = np.zeros(SIZE)
    add_atoms(lines, star, rng)
    mean = np.convolve(np.pad(lines, 100, mode="edge"), np.full(201, 1 / 201), mode="valid")
    return np.asarray(lines - mean)


HEAVY = (4555.31, 4935.46, 6143.41, 6498.70, 4078.86, 4216.71)
"""Ba II, then Sr II: the strongest s-process lines at these resolutions."""


def add_heavy(tau: FloatArray, area: float, shares: tuple[float, ...], fwhm_kms: float) -> None:
    """Add the lines of HEAVY with `area` angstrom times their share; four shares omit Sr II."""
    for wavelength, share in zip(HEAVY, shares, strict=False):
        add_gaussian(tau, wavelength, area * share, fwhm_kms)


_CALCIUM_K = (
    (3000, 3600, 4000, 4500, 5000, 5800, 6500, 7200, 8000, 8800, 9500, 12000, 16000),
    (9.0, 12.0, 14.0, 14.0, 12.0, 9.5, 11.5, 6.5, 2.6, 1.1, 0.45, 0.1, 0.03),
)
_TRIPLET = ((3000, 4000, 5000, 6000, 7500, 9000, 11000), (4, 6.2, 7.2, 6.5, 5, 2.5, 0))


def add_strong_metals(
    tau: FloatArray, star: Atmosphere, rng: Rng, *, calcium: float = 1.0, light: float = 1.0
) -> None:
    """Add the strong lines of Ca II, Ca I, Mg I, Na I, Ba II and Sr II.

    `calcium` scales Ca I 4227 and Ca II H, K; `light` scales Mg b and Na D, which are weaker in M
    giants than the trend of warmer stars suggests.
    """
    cooler = star.theta - SOLAR_THETA
    metals = 10.0 ** (0.35 * star.metallicity) * rng.lognormal(0.0, 0.08)
    dwarf = 10 ** (0.06 * (star.log_g - 4.4))
    neutral = _neutral(star.kelvin)
    k_line = float(np.interp(star.kelvin, *_CALCIUM_K)) * metals * calcium
    deepest = float(np.interp(star.kelvin, (5800, 6200, 7300), (0.9, 2.2, 1.5)))
    for wavelength, area in ((3934.77, k_line), (3969.59, 0.8 * k_line)):
        _add_damped(tau, wavelength, area, deepest if k_line > 3 else 0.6)
    triplet = metals * float(np.interp(star.kelvin, *_TRIPLET))
    triplet *= 10 ** (0.07 * (4.4 - star.log_g))
    for wavelength, share in ((8500.35, 0.2), (8544.44, 0.45), (8664.52, 0.35)):
        _add_damped(tau, wavelength, triplet * share, 0.6)
    blue = metals * neutral * dwarf
    _add_damped(tau, 4227.92, 1.7 * calcium * blue * 10 ** min(1.6 * cooler, 0.9), 0.93)
    for wavelength, area in ((5168.76, 0.9), (5174.12, 1.4), (5185.04, 1.7)):
        fading = 10 ** min((1.0 if cooler > 0 else 5.0) * cooler, 0.4)
        _add_damped(tau, wavelength, area * light * blue * fading, 0.6)
    sodium = blue * light * 1.5 * 10 ** min(1.9 * cooler, 0.8)
    _add_damped(tau, 5891.58, 0.75 * sodium, 0.7)
    _add_damped(tau, 5897.55, 0.6 * sodium, 0.7)
    for wavelength, area in ((8185.51, 0.2), (8197.07, 0.35)):
        add_gaussian(tau, wavelength, area * blue * 10 ** min(1.0 * cooler, 0.4), INTRINSIC_KMS)
    heavy = metals * neutral * 10 ** (0.1 * (4.4 - star.log_g)) * 10 ** min(0.5 * cooler, 0.3)
    add_heavy(tau, heavy, (0.2, 0.15, 0.12, 0.12, 0.35, 0.25), INTRINSIC_KMS)


def _add_damped(
    tau: FloatArray, wavelength: float, area: float, depth: float, power: float = 2.0
) -> None:
    """Add a line with wings; weak lines get shallower and not narrower than NARROWEST."""
    if area > 0.02:
        depth = min(depth, area / (np.pi * NARROWEST))
        add_stark(tau, wavelength, depth, stark_half_width(area, depth, power), power)


_BALMER = {6564.61: "a", 4862.69: "b", 4341.69: "c", 4102.90: "d"}
_HYDROGEN = (
    (3500, 4200, 5000, 5800, 6300, 7000, 7800),
    {
        "a": (0.4, 1.6, 2.3, 3.0, 7.2, 8.8, 9.7),
        "b": (0.1, 0.6, 1.4, 2.9, 8.2, 10.6, 12.2),
        "c": (0.1, 0.5, 1.2, 2.6, 8.4, 11.2, 12.6),
        "d": (0.1, 0.5, 1.1, 2.5, 7.6, 10.6, 12.5),
    },
)
_HYDROGEN_DEPTH = ((5800, 6250, 6700, 7300), (0.45, 0.65, 0.8, 0.95))
_WARM = 5800  # kelvin above which the Balmer series goes on to its limit and leaves a jump
_JUMP = ((_WARM, 6250, 6700, 7300), (0.0, 0.2, 0.35, 0.6))


def add_cool_hydrogen(tau: FloatArray, star: Atmosphere) -> None:
    """Add the Balmer lines of F to M stars."""
    kelvins, areas = _HYDROGEN
    depth = float(np.interp(star.kelvin, *_HYDROGEN_DEPTH))
    power = float(np.interp(star.kelvin, (_WARM, 6250), (2.0, 1.6)))
    for wavelength, name in _BALMER.items():
        area = float(np.interp(star.kelvin, kelvins, areas[name]))
        _add_damped(tau, wavelength, area, depth, power)
    delta = float(np.interp(star.kelvin, kelvins, areas["d"]))
    if star.kelvin > _WARM:
        for n in range(7, 21):
            area = delta * float(np.exp(-(((n - 6) / 8.0) ** 1.5)))
            _add_damped(tau, 3647.06 / (1 - 4 / n**2), area, depth, power)
    elif star.kelvin > 5600:
        for wavelength, share in ((3971.19, 0.8), (3890.15, 0.7), (3836.48, 0.55), (3798.98, 0.4)):
            _add_damped(tau, wavelength, share * delta, depth)


def balmer_jump(star: Atmosphere) -> FloatArray:
    """Transmission of the Balmer jump of an F star; none in cooler stars."""
    return jump(float(np.interp(star.kelvin, *_JUMP)), 3690.0, 14.0)


def add_g_band(tau: FloatArray, star: Atmosphere, strength: float, rng: Rng) -> None:
    """Add CH, a ragged trough from 4285 to 4325 angstrom that is strongest near 5000 K."""
    kelvins = (3400, 4200, 5000, 5800, 6250, 6700, 7200)
    amount = strength * float(
        np.interp(star.kelvin, kelvins, (0.25, 0.52, 0.6, 0.45, 0.2, 0.07, 0))
    )
    for air in (4288, 4292, 4297, 4300, 4304, 4308, 4312, 4315, 4323):
        each = amount * rng.lognormal(0, 0.15) * (1.6 if 4296 < air < 4316 else 1.0)
        add_gaussian(tau, vacuum(air), 2.2 * each, 250.0)
