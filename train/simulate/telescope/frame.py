"""A spectrum while the telescope simulation processes it, and the record of the effects."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agent.spectra.spectrum import FloatArray
from train.simulate.source import Rng
from train.simulate.telescope.instrument import Instrument
from train.simulate.telescope.quality import Quality

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
