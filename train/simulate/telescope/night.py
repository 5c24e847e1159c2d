"""The night sky: emission lines, telluric absorption bands, moonlight; measured, in night.toml."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from scipy.sparse import csr_array

from agent.spectra.pixel_grid import IndexArray
from agent.spectra.spectrum import FloatArray
from train.simulate.source import GRID
from train.toml_beside import toml_beside

Rows = Sequence[Sequence[float]]

_MEASURED: dict[str, Rows] = toml_beside(__file__)
SKY_LINES, NEBULAR_LINES = _MEASURED["lines"], _MEASURED["nebular"]
LINE_GROUPS = _MEASURED["groups"]
GROUP_OF_LINE: IndexArray = np.searchsorted(
    [low for low, _ in LINE_GROUPS[1:]], [centre for centre, _ in SKY_LINES]
)


def sky_continuum(wavelength: FloatArray) -> FloatArray:
    """Continuum of the dark sky, 1 at 6750 A, at constant transmission."""
    knots = (3600, 3800, 4100, 4600, 5200, 5600, 5950, 6250, 6700, 7300, 8000, 9000, 10400)
    values = (2.1, 1.55, 1.4, 1.35, 1.2, 1.3, 1.9, 1.4, 1.0, 0.85, 0.85, 0.85, 1.1)
    continuum = np.interp(wavelength, knots, values)
    for centre, sigma, height in ((8645.0, 14.0, 3.2), (8630.0, 8.0, 1.0)):
        continuum += height * np.exp(-0.5 * ((wavelength - centre) / sigma) ** 2)
    return continuum


def line_matrices(
    wavelength: FloatArray, sigma: FloatArray, lines: Rows
) -> tuple[csr_array, csr_array]:
    """Line profiles of unit height and their change per pixel of drift, (pixels, lines) each.

    `sigma` is that of the instrument, in angstrom at each pixel. A sky line that is subtracted one
    pixel off leaves its derivative as a residual.
    """
    centres = np.array([centre for centre, _ in lines])
    step = np.gradient(wavelength)
    offset = (wavelength[:, None] - centres) / sigma[:, None]
    profile = np.where(np.abs(offset) < 4.5, np.exp(-0.5 * offset**2), 0.0)
    drift = profile * offset * (step / sigma)[:, None]
    return csr_array(profile), csr_array(drift)


def heights(lines: Rows) -> FloatArray:
    return np.array([height for _, height in lines])


def oxygen_depth(wavelength: FloatArray) -> FloatArray:
    """Fraction of the light absorbed by the oxygen bands at survey resolution."""
    return np.clip(_bumps(wavelength, _MEASURED["oxygen"]), 0.0, 0.97)


def water_depth(wavelength: FloatArray) -> FloatArray:
    return np.clip(_bumps(wavelength, _MEASURED["water"]), 0.0, 0.97)


@cache
def sunlight() -> FloatArray:
    """Scattered moonlight on GRID, 1 at 5500 A: a G2 star made bluer by the atmosphere."""
    kelvin = 5772.0
    x = 1.43877688e8 / (GRID * kelvin)
    planck = (GRID / 5500.0) ** -5 * np.expm1(1.43877688e8 / (5500.0 * kelvin)) / np.expm1(x)
    absorbed = np.clip(_bumps(GRID, _MEASURED["sunlight"]), 0, 0.9)
    light = planck * (GRID / 5500.0) ** -1.5 * (1 - absorbed)
    light.setflags(write=False)
    return light


def _bumps(wavelength: FloatArray, table: Rows) -> FloatArray:
    total = np.zeros_like(wavelength)
    for centre, sigma, depth in table:
        total += depth * np.exp(-0.5 * ((wavelength - centre) / sigma) ** 2)
    return total


def sigma_angstrom(wavelength: FloatArray, resolution: FloatArray) -> FloatArray:
    return wavelength / resolution / 2.3548
