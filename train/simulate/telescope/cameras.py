"""Splitting a merged spectrum into its cameras, for surveys that store them separately."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agent.spectra.spectrum import FloatArray
from train.simulate.source import Rng
from train.simulate.telescope.instrument import pixels_between
from train.simulate.telescope.observation import Camera
from train.simulate.telescope.surveys import Profile

EDGE_TOLERANCE = 1e-6
"""Angstrom; the ends of arms fall on pixel centres."""
STORED_APART = ("DESI",)


def split_by_camera(
    profile: Profile,
    wavelength: FloatArray,
    flux: FloatArray,
    ivar: FloatArray,
    mask: NDArray[np.int32],
    rng: Rng,
) -> tuple[Camera, ...]:
    """The spectrum of each camera.

    Where two overlap, a merged pixel becomes two measurements of half its weight. Their mean is the
    merged pixel and their scatter agrees with their own ivar.
    """
    if profile.name not in STORED_APART:
        return ()
    apart = rng.standard_normal(wavelength.size)
    apart *= np.sqrt(np.divide(1.0, ivar, out=np.zeros_like(ivar), where=ivar > 0))
    cameras = []
    for number, arm in enumerate(profile.arms):
        part = pixels_between(wavelength, arm.low - EDGE_TOLERANCE, arm.high + EDGE_TOLERANCE)
        w, own_flux, own_ivar = wavelength[part], flux[part].copy(), ivar[part].copy()
        for other, sign in ((number - 1, -1.0), (number + 1, 1.0)):
            if not 0 <= other < len(profile.arms):
                continue
            low = max(arm.low, profile.arms[other].low) - EDGE_TOLERANCE
            high = min(arm.high, profile.arms[other].high) + EDGE_TOLERANCE
            shared = pixels_between(w, low, high)
            own_flux[shared] += sign * apart[part][shared]
            own_ivar[shared] *= 0.5
        cameras.append(
            Camera(name=arm.name, wavelength=w, flux=own_flux, ivar=own_ivar, mask=mask[part])
        )
    return tuple(cameras)
