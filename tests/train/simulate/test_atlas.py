from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from agent.errors import WorkbenchError
from tests.train.simulate.helpers import star
from train.simulate.atlas import MIN_SPAN, RESOLUTIONS, observe_atlas
from train.simulate.telescope.observation import to_spectrum


def test_grids_are_linear_and_vary(rng: np.random.Generator) -> None:
    seen = [observe_atlas(star(), rng) for _ in range(40)]
    for one in seen:
        steps = np.diff(one.wavelength)
        assert np.ptp(steps) < 1e-6 * steps[0] + 1e-9
        assert 0.5 < steps[0] <= 5.0 and one.wavelength[-1] - one.wavelength[0] >= MIN_SPAN - 5
        assert steps[0] <= 5500.0 / one.resolution / 2 + 1e-9
        assert RESOLUTIONS[0] - 1 <= one.resolution <= RESOLUTIONS[1] + 1
        assert (one.flux > 0).mean() > 0.99
    assert len({round(one.wavelength[0]) for one in seen}) > 5


def test_signal_to_noise_is_as_asked(rng: np.random.Generator) -> None:
    seen = observe_atlas(star(), rng, snr=100.0, errors_known=True)
    assert np.median(seen.flux * np.sqrt(seen.ivar)) == pytest.approx(100.0, rel=0.2)


def test_files_without_errors_read_as_such(rng: np.random.Generator) -> None:
    assert to_spectrum(observe_atlas(star(), rng, errors_known=False)).ivar is None
    assert to_spectrum(observe_atlas(star(), rng, errors_known=True)).ivar is not None


def test_a_coarse_base_is_not_sharpened(rng: np.random.Generator) -> None:
    assert observe_atlas(replace(star(), resolution=500.0), rng).resolution <= 500.0


def test_too_short_a_base_is_refused(rng: np.random.Generator) -> None:
    with pytest.raises(WorkbenchError, match="covers only"):
        observe_atlas(replace(star(), valid=(5000.0, 5300.0)), rng)
