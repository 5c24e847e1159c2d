"""Measurements on simulated observations."""

from __future__ import annotations

import numpy as np

from train.simulate.telescope.instrument import pixels_between
from train.simulate.telescope.observation import Observation


def level(seen: Observation, low: float, high: float) -> float:
    return float(np.median(seen.flux[pixels_between(seen.wavelength, low, high)]))
