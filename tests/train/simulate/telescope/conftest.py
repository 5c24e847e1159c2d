"""A telescope whose effects are all off but those a test asks for."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.train.simulate.helpers import flat
from train.simulate.telescope.instrument import pixels_between
from train.simulate.telescope.observation import Observation
from train.simulate.telescope.surveys import LAMOST_QUALITY
from train.simulate.telescope.telescope import observe

# Nothing happens to a spectrum observed like this, except photon noise.
PERFECT = replace(
    LAMOST_QUALITY,
    velocity_error_kms=0.0, resolution_spread=0.0, throughput_spread=0.0, calibration=0.0,
    calibration_tail_odds=0.0, blue_error=0.0, join_step=0.0, join_slope=0.0, join_bump_odds=0.0,
    dead_block_odds=0.0, sky_residual=(1e-9, 2e-9), sky_drift_pixels=0.0, telluric_jitter=0.0,
    telluric_odds=0.0, nebular_odds=0.0, moon_odds=0.0, cosmic_mean=0.0, bad_runs=(-9.0, 0.0),
    end_block_odds=0.0, ivar_spread=0.0,
)  # fmt: skip

Look = Callable[..., Observation]


@pytest.fixture
def look(rng: np.random.Generator) -> Look:
    def look_with(snr: float = 900.0, release: str = "DR8", **changes: object) -> Observation:
        quality = replace(PERFECT, **changes)  # type: ignore[arg-type]
        return observe(flat(), "LAMOST", rng, snr, quality=quality, release=release)

    return look_with


def level(seen: Observation, low: float, high: float) -> float:
    return float(np.median(seen.flux[pixels_between(seen.wavelength, low, high)]))
