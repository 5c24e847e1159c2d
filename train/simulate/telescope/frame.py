"""A spectrum on its way through the telescope, and the record of what happened to it."""

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
    """Effects change `flux` and `variance` in place, in units of the r-band median flux."""

    instrument: Instrument
    quality: Quality
    wavelength: FloatArray
    flux: FloatArray
    snr: float
    sky: float
    """Brightness of the sky continuum near 6750 A over that of the object."""
    release: str
    reference: slice
    """Pixels whose median flux and S/N are the spectrum's."""
    variance: FloatArray = field(default_factory=lambda: np.empty(0))
    """As the file will state it."""
    bad: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=np.bool_))
    masked: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=np.bool_))
    record: Record = field(default_factory=dict)

    def crop(self, start: int, stop: int) -> None:
        """Keep these pixels alone; from here on the instrument's arrays no longer match."""
        for name in ("wavelength", "flux", "variance", "bad", "masked"):
            setattr(self, name, getattr(self, name)[start:stop])


def log_uniform(rng: Rng, limits: tuple[float, float]) -> float:
    low, high = np.log(limits)
    return float(np.exp(rng.uniform(low, high)))


def happens(rng: Rng, odds: float) -> bool:
    return bool(rng.random() < odds)
