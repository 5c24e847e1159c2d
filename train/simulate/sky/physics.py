"""Continua, reddening and smooth distortions on the common grid."""

from collections.abc import Mapping
from functools import cache

import numpy as np
from scipy.interpolate import CubicSpline

from agent.spectra.air import air_to_vacuum
from agent.spectra.spectrum import FloatArray
from train.simulate.source import GRID, LIGHT_KMS, STEP_KMS, Rng

SIZE = GRID.size
LN_FIRST = float(np.log(GRID[0]))
LN_STEP = STEP_KMS / LIGHT_KMS
REFERENCE = 5500.0


@cache
def vacuum(air: float) -> float:
    """Vacuum wavelength of an air wavelength, angstrom."""
    return float(air_to_vacuum(air))


def pixel(wavelength: float) -> float:
    """Fractional grid index of a vacuum wavelength."""
    return float((np.log(wavelength) - LN_FIRST) / LN_STEP)


def value_at(values: FloatArray, wavelength: float) -> float:
    """Value of a grid array at a wavelength, constant beyond the ends."""
    return float(values[min(max(round(pixel(wavelength)), 0), SIZE - 1)])


_X = 1.43877688e8 / GRID  # hc / (lambda k), kelvin


def planck(kelvin: float) -> FloatArray:
    """Black body in F_lambda, 1 at 5500 A."""
    x0 = 1.43877688e8 / REFERENCE / kelvin
    with np.errstate(over="ignore"):
        return (REFERENCE / GRID) ** 5 * np.expm1(x0) / np.expm1(_X / kelvin)


_LOG_RATIO = np.log(GRID / REFERENCE)


def power_law(index: float) -> FloatArray:
    """F_lambda proportional to lambda**index, 1 at 5500 A."""
    return np.exp(index * _LOG_RATIO)


@cache
def _extinction_curve() -> tuple[FloatArray, FloatArray]:
    """a(x), b(x) of A(lambda)/A(V) = a + b/R_V.

    O'Donnell 1994 in the optical, Cardelli, Clayton and Mathis 1989 redward of 9091 angstrom.
    """
    x = 1e4 / GRID
    y = x - 1.82
    a = np.polyval([-0.505, 1.647, -0.827, -1.718, 1.137, 0.701, -0.609, 0.104, 1.0], y)
    b = np.polyval([3.347, -10.805, 5.491, 11.102, -7.985, -3.989, 2.908, 1.952, 0.0], y)
    infrared = x < 1.1
    a = np.where(infrared, 0.574 * x**1.61, a)
    b = np.where(infrared, -0.527 * x**1.61, b)
    return np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)


def reddening(ebv: float, r_v: float = 3.1) -> FloatArray:
    """Transmission of interstellar dust."""
    if ebv <= 0:
        return np.ones(SIZE)
    a, b = _extinction_curve()
    return np.exp(-0.921034 * ebv * (a * r_v + b))


def jump(size_mag: float, edge: float, width: float = 9.0) -> FloatArray:
    """Transmission of a jump that lowers the continuum blueward of `edge`."""
    step = 1.0 / (1.0 + np.exp(np.clip((GRID - edge) / width, -40, 40)))
    return 10 ** (-0.4 * size_mag * step)


_KNOTS = 9
_SPLINE = CubicSpline(np.linspace(0, 1, _KNOTS), np.eye(_KNOTS), bc_type="natural")
_BASIS = _SPLINE(np.linspace(0, 1, SIZE))


def smooth_warp(rng: Rng, sigma: float) -> FloatArray:
    """A smooth factor around 1; `sigma` is the scatter of its natural log at each knot."""
    return np.exp(_BASIS @ rng.normal(0.0, sigma, _KNOTS))


def log_uniform(rng: Rng, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def chance(rng: Rng, probability: float) -> bool:
    return bool(rng.random() < probability)


def pick(rng: Rng, odds: Mapping[str, float]) -> str:
    return str(rng.choice(list(odds), p=list(odds.values())))


def truncated_normal(rng: Rng, mean: float, sigma: float, low: float, high: float) -> float:
    return float(np.clip(rng.normal(mean, sigma), low, high))
