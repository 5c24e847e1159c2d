"""Parting a merged spectrum into the cameras that saw it, for surveys that store them apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agent.spectra.spectrum import FloatArray
from train.simulate.source import Rng
from train.simulate.telescope.instrument import pixels_between
from train.simulate.telescope.observation import Camera
from train.simulate.telescope.surveys import Profile

HALF = 1e-6
"""Angstrom: ends of arms fall on pixel centres."""
STORED_APART = ("DESI",)


def parted(
    profile: Profile,
    wavelength: FloatArray,
    flux: FloatArray,
    ivar: FloatArray,
    mask: NDArray[np.int32],
    rng: Rng,
) -> tuple[Camera, ...]:
    """Each camera's own spectrum.

    Where two overlap, a merged pixel becomes two measurements of half the weight whose mean is the
    merged one and whose scatter is what their own ivar says.
    """
    if profile.name not in STORED_APART:
        return ()
    apart = rng.standard_normal(wavelength.size)
    apart *= np.sqrt(np.divide(1.0, ivar, out=np.zeros_like(ivar), where=ivar > 0))
    cameras = []
    for number, arm in enumerate(profile.arms):
        part = pixels_between(wavelength, arm.low - HALF, arm.high + HALF)
        w, own_flux, own_ivar = wavelength[part], flux[part].copy(), ivar[part].copy()
        for other, sign in ((number - 1, -1.0), (number + 1, 1.0)):
            if not 0 <= other < len(profile.arms):
                continue
            low = max(arm.low, profile.arms[other].low) - HALF
            high = min(arm.high, profile.arms[other].high) + HALF
            shared = pixels_between(w, low, high)
            own_flux[shared] += sign * apart[part][shared]
            own_ivar[shared] *= 0.5
        cameras.append(
            Camera(name=arm.name, wavelength=w, flux=own_flux, ivar=own_ivar, mask=mask[part])
        )
    return tuple(cameras)
