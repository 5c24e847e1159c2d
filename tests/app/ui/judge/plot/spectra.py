"""Spectra made for tests, with faults and lines where they are wanted."""

import numpy as np

from agent.spectra.spectrum import Spectrum


def spectrum(size=3000, *, lo=3800.0, hi=9000.0, noise=0.05, line=6564.6, peak=2.0, **changes):
    wavelength = np.geomspace(lo, hi, size)
    draw = np.random.default_rng(5)
    flux = 1.0 + noise * draw.standard_normal(size)
    flux += peak * np.exp(-0.5 * ((wavelength - line) / 8.0) ** 2)
    ivar = np.full(size, noise**-2.0)
    usual = {"wavelength": wavelength, "flux": flux, "ivar": ivar, "object_id": "made"}
    return Spectrum(**{**usual, **changes})


def with_bad(start, stop, **changes):
    mask = np.zeros(3000, dtype=bool)
    mask[start:stop] = True
    return spectrum(mask=mask, **changes)
