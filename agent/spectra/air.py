"""Air and vacuum wavelengths.

Refractive index of standard air (15 C, 1 atm, no CO2 correction): the IAU form of Morton (1991,
ApJS 77, 119), with s = 1e4 / (vacuum wavelength in angstrom):

    n(s) = 1 + 6.4328e-5 + 2.94981e-2 / (146 - s^2) + 2.5540e-4 / (41 - s^2)

The formula takes the vacuum wavelength, so vacuum to air is direct and air to vacuum is solved
by iteration to far below 1e-6 angstrom. By convention wavelengths below 2000 A are vacuum on
both sides, as NIST lists them.
"""

import numpy as np
from numpy.typing import ArrayLike

from agent.spectra.spectrum import FloatArray

AIR_BEGINS = 2000.0  # angstrom; shorter wavelengths are given in vacuum
ITERATIONS = 5  # each gains a factor of about 1e4: three reach double precision, two are a margin


def refractive_index(vacuum: ArrayLike) -> FloatArray:
    """n of standard air at vacuum wavelengths in angstrom."""
    s2 = (1e4 / np.asarray(vacuum, dtype=np.float64)) ** 2
    return 1.0 + 6.4328e-5 + 2.94981e-2 / (146.0 - s2) + 2.5540e-4 / (41.0 - s2)


def vacuum_to_air(vacuum: ArrayLike) -> FloatArray:
    """Air wavelengths in angstrom; values that would be below 2000 A stay in vacuum."""
    vacuum = np.asarray(vacuum, dtype=np.float64)
    converted = np.maximum(vacuum, AIR_BEGINS)
    air = converted / refractive_index(converted)
    return np.where(air >= AIR_BEGINS, air, vacuum)


def air_to_vacuum(air: ArrayLike) -> FloatArray:
    """Vacuum wavelengths in angstrom; values below 2000 A are vacuum already."""
    air = np.asarray(air, dtype=np.float64)
    converted = np.maximum(air, AIR_BEGINS)
    vacuum = converted
    for _ in range(ITERATIONS):
        vacuum = converted * refractive_index(vacuum)
    return np.where(air >= AIR_BEGINS, vacuum, air)
