"""The zero point of a parallax of Gaia DR3: what it is too small by, by brightness and colour.

Lindegren et al. 2021, A&A 649, A4: tables 9 and 10, and the functions of appendix A.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from app.services.catalogues.answer import Value, finite_number

TABLE = "gaiadr3.gaia_source"  # the only one that it holds for; DR2 and DR4 have others
MAGNITUDES = (6.0, 10.8, 11.2, 11.8, 12.2, 12.9, 13.1, 15.9, 16.1, 17.5, 19.0, 20.0, 21.0)
# Which function of the colour is multiplied with which of the latitude, for each coefficient.
FIVE = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0), (3, 0), (4, 0))
SIX = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0))
# Coefficients in microarcseconds, a row for each magnitude: with a known colour, and without.
OF_FIVE = (
    (-26.98, -9.62, 27.40, -25.1, -0.0, -1257, 0, 0),
    (-27.23, -3.07, 23.04, 35.3, 15.7, -1257, 0, 0),
    (-30.33, -9.23, 9.08, -88.4, -11.8, -1257, 0, 0),
    (-33.54, -10.08, 13.28, -126.7, 11.6, -1257, 0, 0),
    (-13.65, -0.07, 9.35, -111.4, 40.6, -1257, 0, 0),
    (-19.53, -1.64, 15.86, -66.8, 20.6, -1257, 0, 0),
    (-37.99, 2.63, 16.14, -5.7, 14.0, -1257, 107.9, 104.3),
    (-38.33, 5.61, 15.42, 0, 18.7, -1189, 243.8, 155.2),
    (-31.05, 2.83, 8.59, 0, 15.5, -1404, 105.5, 170.7),
    (-29.18, -0.09, 2.41, 0, 24.5, -1165, 189.7, 325.0),
    (-18.40, 5.98, -6.46, 0, 5.5, 0, 0, 276.6),
    (-12.65, -4.57, -7.46, 0, 97.9, 0, 0, 0),
    (-18.22, -15.24, -18.54, 0, 128.2, 0, 0, 0),
)
OF_SIX = (
    (-27.85, -7.78, 27.47, -32.1, 14.4, 9.5, -67),
    (-28.91, -3.57, 22.92, 7.7, 12.6, 1.6, -572),
    (-26.72, -8.74, 9.36, -30.3, 5.6, 17.2, -1104),
    (-29.04, -9.69, 13.63, -49.4, 36.3, 17.7, -1129),
    (-12.39, -2.16, 10.23, -92.6, 19.8, 27.6, -365),
    (-18.99, -1.93, 15.90, -57.2, -8.0, 19.9, -554),
    (-38.29, 2.59, 16.20, -10.5, 1.4, 0.4, -960),
    (-36.83, 4.20, 15.76, 22.3, 11.1, 10.0, -1367),
    (-28.37, 1.99, 9.28, 50.4, 17.2, 13.7, -1351),
    (-24.68, -1.37, 3.52, 86.8, 19.8, 21.3, -1380),
    (-15.32, 4.01, -6.03, 29.2, 14.1, 0.4, -563),
    (-13.73, -10.92, -8.30, -74.4, 196.4, -42.0, 536),
    (-29.53, -20.34, -18.74, -39.5, 326.8, -262.3, 1598),
)
MAS_PER_MICROARCSEC = 1e-3


def zero_point(values: Mapping[str, Value]) -> float | None:
    """In mas, to be taken from the parallax; None where the relation holds for no such star."""
    names = ("g", "nu_eff", "pseudocolour", "ecl_lat")
    g, nu, pseudo, latitude = (finite_number(values.get(name)) for name in names)
    if g is None or latitude is None or not MAGNITUDES[0] <= g <= MAGNITUDES[-1]:
        return None
    if nu is not None and 1.1 <= nu <= 1.9:  # the ranges that the authors give
        return _at(g, nu, latitude, OF_FIVE, FIVE)
    if nu is None and pseudo is not None and 1.24 <= pseudo <= 1.72:
        return _at(g, pseudo, latitude, OF_SIX, SIX)
    return None


def _at(
    g: float,
    nu: float,
    latitude: float,
    table: Sequence[Sequence[float]],
    terms: Sequence[tuple[int, int]],
) -> float:
    """The sum of the terms, each with its coefficient at this magnitude."""
    sine = math.sin(math.radians(latitude))
    of_latitude = 1.0, sine, sine**2 - 1.0 / 3.0
    of_colour = (
        1.0,
        max(-0.24, min(0.24, nu - 1.48)),
        min(0.24, max(0.0, 1.48 - nu)) ** 3,
        min(0.0, nu - 1.24),
        max(0.0, nu - 1.72),
    )
    columns = zip(zip(*table, strict=True), terms, strict=True)
    return MAS_PER_MICROARCSEC * math.fsum(
        float(np.interp(g, MAGNITUDES, column)) * of_colour[j] * of_latitude[k]
        for column, (j, k) in columns
    )
