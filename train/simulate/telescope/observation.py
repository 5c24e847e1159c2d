"""The result of a simulated observation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.spectra.spectrum import FloatArray, Spectrum
from train.simulate.telescope.frame import Record
from train.simulate.telescope.instrument import BANDS, pixels_between
from train.simulate.telescope.pipeline_class import PipelineClass


@dataclass(frozen=True, eq=False, kw_only=True)
class Camera:
    """The spectrum of a single camera; cameras of one observation may overlap."""

    name: str
    wavelength: FloatArray
    flux: FloatArray
    ivar: FloatArray
    mask: NDArray[np.int32]


@dataclass(frozen=True, eq=False, kw_only=True)
class Observation:
    """A simulated spectrum on the grid and in the units of a survey, with its parameters."""

    wavelength: FloatArray
    flux: FloatArray
    ivar: FloatArray
    andmask: NDArray[np.int32]
    ormask: NDArray[np.int32]
    arms: tuple[Camera, ...] = ()
    survey: str
    release: str = ""
    flux_unit: str = ""
    resolution: float
    snr: dict[str, float]
    """Mean S/N per pixel in u, g, r, i and z, as headers state it; 0 where not covered."""
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


def to_spectrum(observation: Observation, pipeline_class: PipelineClass | None = None) -> Spectrum:
    """The observation as a reader would return it, without writing a file.

    It holds the class of the pipeline if that is given, and never the truth.
    """
    return Spectrum(
        wavelength=observation.wavelength,
        flux=observation.flux,
        ivar=observation.ivar if observation.errors_known else None,
        flux_unit=observation.flux_unit,
        resolution=observation.resolution,
        class_name=pipeline_class.class_name if pipeline_class else "",
        subclass=pipeline_class.subclass if pipeline_class else "",
        z=pipeline_class.z if pipeline_class else None,
        snr=observation.snr["r"] or None,
        survey=observation.survey,
        release=observation.release,
        format="simulated",
        simulated=True,
    )
