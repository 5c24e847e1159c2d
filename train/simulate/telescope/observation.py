"""The result of a simulated observation."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agent.spectra.spectrum import FloatArray, Spectrum
from train.simulate.source import Rng
from train.simulate.telescope.instrument import BANDS, Instrument, pixels_between
from train.simulate.telescope.pipeline_class import PipelineClass
from train.simulate.telescope.surveys import Quality


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


# A spectrum while the telescope simulation processes it, and the record of the effects.
Record = dict[str, float | str]


@dataclass
class Frame:
    """A spectrum that effects change in place, in units of the median flux in the r band."""

    instrument: Instrument
    quality: Quality
    wavelength: FloatArray
    flux: FloatArray
    snr: float
    sky: float  # sky continuum near 6750 A relative to the object
    release: str
    reference: slice  # pixels in which the median flux and S/N of the spectrum are set
    variance: FloatArray = field(default_factory=lambda: np.empty(0))
    """Variance that the file will state, in the units of `flux` squared."""
    bad: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=np.bool_))
    masked: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=np.bool_))
    record: Record = field(default_factory=dict)

    def crop(self, start: int, stop: int) -> None:
        """Keep only these pixels; the arrays of the instrument no longer match afterwards."""
        for name in ("wavelength", "flux", "variance", "bad", "masked"):
            setattr(self, name, getattr(self, name)[start:stop])


def log_uniform(rng: Rng, limits: tuple[float, float]) -> float:
    low, high = np.log(limits)
    return float(np.exp(rng.uniform(low, high)))


def happens(rng: Rng, odds: float) -> bool:
    return bool(rng.random() < odds)
