"""What a simulated telescope hands over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.spectra.spectrum import FloatArray, Spectrum
from train.simulate.telescope.frame import Record
from train.simulate.telescope.instrument import BANDS, pixels_between
from train.simulate.telescope.pipeline_class import Guess


@dataclass(frozen=True, eq=False, kw_only=True)
class Camera:
    """What one camera alone measured; cameras of one observation may overlap."""

    name: str
    wavelength: FloatArray
    flux: FloatArray
    ivar: FloatArray
    mask: NDArray[np.int32]


@dataclass(frozen=True, eq=False, kw_only=True)
class Observation:
    """A simulated spectrum in a survey's own units and grid, and what was done to it."""

    wavelength: FloatArray
    flux: FloatArray
    ivar: FloatArray
    andmask: NDArray[np.int32]
    ormask: NDArray[np.int32]
    arms: tuple[Camera, ...]
    survey: str
    release: str
    flux_unit: str
    resolution: float
    snr: dict[str, float]
    """Mean S/N per pixel in u, g, r, i, z as the headers state it; 0 where not covered."""
    parameters: Record
    errors_known: bool = True


def band_snr(wavelength: FloatArray, flux: FloatArray, ivar: FloatArray) -> dict[str, float]:
    ratio = flux * np.sqrt(ivar)
    snr = {}
    for band, limits in BANDS.items():
        inside = pixels_between(wavelength, *limits)
        used = int(np.count_nonzero(ivar[inside]))
        total = float(ratio[inside].sum())
        snr[band] = round(max(total / used, 0.0), 2) if used > 10 else 0.0
    return snr


def to_spectrum(observation: Observation, guess: Guess | None = None) -> Spectrum:
    """The observation as the rest of the program sees it, without a file in between.

    It knows what a reader would: the pipeline's `guess` if given, never the truth.
    """
    return Spectrum(
        wavelength=observation.wavelength,
        flux=observation.flux,
        ivar=observation.ivar if observation.errors_known else None,
        flux_unit=observation.flux_unit,
        resolution=observation.resolution,
        class_name=guess.class_name if guess else "",
        subclass=guess.subclass if guess else "",
        z=guess.z if guess else None,
        snr=observation.snr["r"] or None,
        survey=observation.survey,
        release=observation.release,
        format="simulated",
        simulated=True,
    )
