"""Simulated members of a class, planted among the spectra of a survey.

A planted member has the pixels, mask and errors of a spectrum of the survey, and noise drawn from
these errors. What share of them is found says what share of the true members is.
"""

import math
from dataclasses import replace
from functools import cache
from importlib.resources import as_file, files
from typing import NamedTuple

import numpy as np

from agent.spectra.pixel_grid import LIGHT_KMS, doppler, pixel_grid
from agent.spectra.smoothing import gaussian_kernel
from agent.spectra.spectrum import FloatArray, Spectrum

MEMBER_STEP_KMS = 69.0
MEMBER_GRID: FloatArray = np.exp(
    np.arange(math.log(3600.0), math.log(10300.0), MEMBER_STEP_KMS / LIGHT_KMS)
)
MEMBER_R = 2500.0  # resolution of the members: no survey of low resolution has a finer one
USUAL_R = 1800.0  # of a file that does not say


class Members(NamedTuple):
    """Members of one class: fluxes are coefficients times components, their median 1."""

    coefficients: FloatArray
    components: FloatArray
    velocities: FloatArray


@cache
def members_of(task_id: str) -> Members | None:
    """The members of a bundled class; None of any other."""
    members = files("resources") / "weights" / "members.npz"
    with as_file(members) as path, np.load(path, allow_pickle=False) as found:
        if f"{task_id}_fluxes" not in found:
            return None
        parts = (found[f"{task_id}_{name}"] for name in ("coefficients", "fluxes", "velocities"))
        return Members(*(part.astype(np.float64) for part in parts))


def blurred(flux: FloatArray, fwhm_px: float) -> FloatArray:
    """Gaussian means of a flux without gaps, which goes on beyond its ends at their level."""
    kernel = gaussian_kernel(fwhm_px)
    reach = kernel.size // 2
    return np.asarray(np.convolve(np.pad(flux, reach, "edge"), kernel / kernel.sum(), "valid"))


def planted(spectrum: Spectrum, members: Members, seed: int) -> Spectrum | None:
    """A member in place of this spectrum, at its level of flux; None if there is no noise to use.

    Where the members have no flux the pixels are masked.
    """
    grid = pixel_grid(spectrum)
    if not grid.is_usable:
        return None
    rng = np.random.default_rng(seed)
    number = int(rng.integers(len(members.coefficients)))
    flux = members.coefficients[number] @ members.components
    resolution = spectrum.resolution or USUAL_R
    if resolution < MEMBER_R:
        width = LIGHT_KMS * math.sqrt(resolution**-2 - MEMBER_R**-2)
        flux = blurred(flux, width / MEMBER_STEP_KMS)
    shift = doppler(float(members.velocities[number]))
    wavelength = spectrum.wavelength
    inside = (wavelength > MEMBER_GRID[0] * shift) & (wavelength < MEMBER_GRID[-1] * shift)
    good = spectrum.good & inside
    if good.sum() < 2:
        return None
    seen = np.maximum(np.interp(wavelength, MEMBER_GRID * shift, flux), 0.0)
    level = np.median(grid.flux[good]) / max(float(np.median(seen[good])), 1e-9)
    noisy = seen * level + grid.sigma * rng.standard_normal(wavelength.size)
    mask = ~inside if spectrum.mask is None else spectrum.mask | ~inside
    return replace(
        spectrum, flux=noisy * grid.scale, mask=mask, z=None, class_name="", subclass="",
        object_id="", simulated=True,
    )  # fmt: skip
