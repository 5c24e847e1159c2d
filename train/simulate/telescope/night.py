"""The night sky: emission lines, telluric absorption bands, moonlight.

Line wavelengths (vacuum angstrom) and peak heights were measured on sky spectra at R about 2200;
a height of 1 is the continuum of a dark sky near 6750 A.
"""

from functools import cache

import numpy as np
from scipy.sparse import csr_array

from agent.spectra.pixel_grid import IndexArray
from agent.spectra.spectrum import FloatArray
from train.simulate.source import GRID

SKY_LINES: tuple[tuple[float, float], ...] = (
    (3650.1, 1.8), (3653.4, 1.1), (3741.1, 0.8), (3909.3, 0.8), (3913.8, 0.8), (4047.6, 2.8),
    (4359.2, 6.2), (5462.6, 4.5), (5578.3, 48.6), (5689.9, 2.3), (5770.4, 1.2), (5791.7, 1.2),
    (5868.2, 0.8), (5891.2, 8.9), (5896.6, 6.2), (5934.8, 1.0), (6237.4, 1.0), (6259.0, 1.0),
    (6289.3, 0.8), (6302.3, 11.6), (6308.2, 1.2), (6365.1, 4.2), (6499.8, 1.0), (6534.4, 0.8),
    (6555.4, 0.9), (6564.5, 0.9), (6831.3, 1.5), (6866.0, 2.5), (6924.7, 1.5), (6950.3, 1.5),
    (6980.8, 0.8), (7246.1, 3.7), (7277.8, 5.9), (7286.2, 2.0), (7318.2, 4.2), (7331.7, 1.5),
    (7341.8, 4.6), (7360.4, 1.4), (7370.6, 3.7), (7402.9, 2.1), (7524.9, 2.8), (7573.6, 2.1),
    (7599.8, 2.2), (7629.6, 1.5), (7718.0, 5.4), (7751.8, 7.3), (7760.7, 1.8), (7796.6, 4.7),
    (7810.9, 1.5), (7823.5, 5.9), (7854.2, 5.7), (7861.4, 1.8), (7872.3, 2.5), (7892.3, 2.8),
    (7915.9, 7.5), (7923.2, 2.9), (7932.4, 1.7), (7967.1, 5.4), (7981.8, 2.0), (7994.7, 6.5),
    (8015.0, 1.5), (8027.9, 4.6), (8063.1, 1.9), (8196.0, 1.5), (8283.3, 3.7), (8290.9, 5.0),
    (8300.5, 6.4), (8311.9, 1.6), (8346.5, 15.7), (8354.2, 4.7), (8365.7, 1.4), (8383.1, 2.7),
    (8400.4, 10.7), (8417.9, 3.6), (8431.5, 12.3), (8454.8, 3.1), (8466.5, 8.1), (8495.8, 2.0),
    (8507.5, 4.1), (8550.7, 1.8), (8629.8, 3.6), (8661.7, 3.6), (8671.7, 2.6), (8762.0, 6.7),
    (8770.1, 9.4), (8780.2, 10.8), (8792.3, 3.0), (8828.8, 22.0), (8839.0, 7.6), (8851.2, 2.1),
    (8869.6, 5.2), (8888.0, 17.2), (8904.4, 6.1), (8920.8, 17.7), (8945.5, 5.5), (8959.9, 14.3),
    (8990.9, 3.8), (9003.3, 7.9), (9040.7, 1.6), (9051.1, 3.6), (9105.5, 1.6), (9315.4, 20.2),
    (9326.2, 20.9), (9339.0, 4.6), (9377.8, 44.3), (9388.6, 2.1), (9403.8, 4.2), (9421.1, 7.9),
    (9442.8, 32.5), (9460.2, 13.2), (9479.9, 27.5), (9503.9, 9.6), (9521.4, 19.7), (9554.4, 6.5),
    (9569.8, 14.9), (9609.5, 3.2), (9622.8, 5.3), (9671.7, 2.9), (9682.8, 6.0), (9700.7, 6.8),
    (9714.1, 2.5), (9723.0, 8.2), (9738.7, 3.1), (9792.7, 23.7), (9801.7, 6.8), (9813.0, 1.7),
    (9851.5, 4.8), (9874.2, 21.1), (9897.0, 7.2), (9917.5, 20.2), (9949.5, 22.5), (9958.7, 18.4),
    (9974.8, 3.9), (10002.4, 1.7), (10016.2, 31.4), (10027.7, 9.9), (10046.2, 1.6), (10062.4, 5.8),
    (10085.6, 18.4), (10106.5, 6.5), (10125.2, 21.4), (10155.5, 7.3), (10174.3, 27.5),
    (10183.6, 1.6), (10193.0, 12.3), (10214.2, 20.3), (10228.3, 11.1), (10273.1, 1.4),
    (10289.7, 57.2), (10299.2, 16.6),
)  # fmt: skip

LINE_GROUPS: tuple[tuple[float, float], ...] = (
    (3600, 5570), (5570, 5590), (5590, 6290), (6290, 6370), (6370, 7100), (7100, 7600),
    (7600, 8120), (8120, 8600), (8600, 9200), (9200, 10400),
)  # fmt: skip
"""Wavelength ranges of lines from one band or lamp, which brighten together."""
GROUP_OF_LINE: IndexArray = np.searchsorted(
    [low for low, _ in LINE_GROUPS[1:]], [centre for centre, _ in SKY_LINES]
)

NEBULAR_LINES: tuple[tuple[float, float], ...] = (
    (4862.7, 0.3), (5008.2, 0.25), (6549.9, 0.12), (6564.6, 1.0), (6585.3, 0.38), (6718.3, 0.25),
    (6732.7, 0.18),
)  # fmt: skip

# (centre, sigma, depth): the blue edge of an oxygen band is sharp, its red branch is broad.
_OXYGEN = (
    (6280.0, 5.0, 0.05), (6292.0, 9.0, 0.04), (6870.5, 3.5, 0.42), (6882.0, 7.0, 0.25),
    (6902.0, 12.0, 0.14), (7596.5, 4.0, 0.55), (7608.0, 5.5, 0.95), (7632.0, 12.0, 0.60),
    (7655.0, 14.0, 0.35),
)  # fmt: skip
_WATER = (
    (7172.0, 7.0, 0.16), (7190.0, 8.0, 0.20), (7205.0, 7.0, 0.12), (7238.0, 8.0, 0.12),
    (7262.0, 12.0, 0.09), (7302.0, 14.0, 0.08), (8148.0, 6.0, 0.14), (8167.0, 6.0, 0.17),
    (8180.0, 7.0, 0.13), (8197.0, 6.0, 0.11), (8232.0, 12.0, 0.18), (8280.0, 12.0, 0.10),
    (8322.0, 12.0, 0.06), (8945.0, 12.0, 0.20), (8985.0, 18.0, 0.28), (9030.0, 16.0, 0.18),
    (9080.0, 20.0, 0.24), (9130.0, 20.0, 0.26), (9320.0, 25.0, 0.62), (9375.0, 28.0, 0.72),
    (9440.0, 25.0, 0.55), (9500.0, 28.0, 0.42), (9570.0, 30.0, 0.25),
)  # fmt: skip
# Scattered sunlight: (centre, sigma, depth). Enough lines that moonlight adds a false G band, Mg b
# and H and K to a faint target, at the velocity of the Sun.
_SUNLIGHT = (
    (3735.0, 18.0, 0.35), (3830.0, 14.0, 0.30), (3860.0, 8.0, 0.25), (3934.8, 7.0, 0.70),
    (3969.6, 7.0, 0.65), (4047.0, 3.0, 0.20), (4102.9, 4.0, 0.20), (4227.9, 3.0, 0.25),
    (4306.0, 10.0, 0.30), (4341.7, 4.5, 0.22), (4384.8, 3.0, 0.22), (4405.0, 3.0, 0.15),
    (4669.0, 3.0, 0.07), (4862.7, 4.5, 0.25), (4921.0, 3.0, 0.09), (5176.0, 9.0, 0.18),
    (5271.0, 4.0, 0.13), (5330.0, 3.5, 0.10), (5407.0, 3.5, 0.07), (5893.5, 4.0, 0.15),
    (6564.6, 4.0, 0.28), (8500.4, 4.0, 0.15), (8544.4, 4.5, 0.22), (8664.5, 4.5, 0.18),
)  # fmt: skip


def sky_continuum(wavelength: FloatArray) -> FloatArray:
    """Continuum of the dark sky, 1 at 6750 A, at constant transmission."""
    knots = (3600, 3800, 4100, 4600, 5200, 5600, 5950, 6250, 6700, 7300, 8000, 9000, 10400)
    values = (2.1, 1.55, 1.4, 1.35, 1.2, 1.3, 1.9, 1.4, 1.0, 0.85, 0.85, 0.85, 1.1)
    continuum = np.interp(wavelength, knots, values)
    for centre, sigma, height in ((8645.0, 14.0, 3.2), (8630.0, 8.0, 1.0)):
        continuum += height * np.exp(-0.5 * ((wavelength - centre) / sigma) ** 2)
    return continuum


def line_matrices(
    wavelength: FloatArray, sigma: FloatArray, lines: tuple[tuple[float, float], ...]
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


def heights(lines: tuple[tuple[float, float], ...]) -> FloatArray:
    return np.array([height for _, height in lines])


def oxygen_depth(wavelength: FloatArray) -> FloatArray:
    """Fraction of the light absorbed by the oxygen bands at survey resolution."""
    return np.clip(_bumps(wavelength, _OXYGEN), 0.0, 0.97)


def water_depth(wavelength: FloatArray) -> FloatArray:
    return np.clip(_bumps(wavelength, _WATER), 0.0, 0.97)


@cache
def sunlight() -> FloatArray:
    """Scattered moonlight on GRID, 1 at 5500 A: a G2 star made bluer by the atmosphere."""
    kelvin = 5772.0
    x = 1.43877688e8 / (GRID * kelvin)
    planck = (GRID / 5500.0) ** -5 * np.expm1(1.43877688e8 / (5500.0 * kelvin)) / np.expm1(x)
    light = planck * (GRID / 5500.0) ** -1.5 * (1 - np.clip(_bumps(GRID, _SUNLIGHT), 0, 0.9))
    light.setflags(write=False)
    return light


def _bumps(wavelength: FloatArray, table: tuple[tuple[float, float, float], ...]) -> FloatArray:
    total = np.zeros_like(wavelength)
    for centre, sigma, depth in table:
        total += depth * np.exp(-0.5 * ((wavelength - centre) / sigma) ** 2)
    return total


def sigma_angstrom(wavelength: FloatArray, resolution: FloatArray) -> FloatArray:
    return wavelength / resolution / 2.3548
