from __future__ import annotations

import numpy as np
import pytest

from tests.train.simulate.telescope.conftest import Look, level
from train.simulate.telescope.instrument import pixels_between


def test_join_step_lifts_one_arm(look: Look) -> None:
    steps = []
    for _ in range(12):
        seen = look(join_step=0.1)
        ratio = level(seen, 6200, 6500) / level(seen, 5200, 5500)
        assert ratio == pytest.approx(1 + float(seen.parameters["join_step_0"]), abs=0.01)
        steps.append(abs(ratio - 1))
    assert max(steps) > 0.05


def test_join_bump_stands_redward_of_the_join(look: Look) -> None:
    seen = look(join_bump_odds=1.0, join_bump=(0.2, 0.21))
    ratio = seen.flux / level(seen, 6600, 6800) - 1
    assert abs(seen.wavelength[np.argmax(np.abs(ratio))] - 5900) < 160
    assert np.abs(ratio).max() > 0.15


def test_calibration_bends_smoothly_and_errors_follow(look: Look) -> None:
    seen, straight = look(calibration=0.3), look()
    window = pixels_between(seen.wavelength, 5000.0, 5300.0)
    assert np.ptp(np.log(seen.flux[200:-300])) > 0.05
    # S/N per pixel is not changed by a factor on flux and error alike.
    ratio = seen.flux[window] * np.sqrt(seen.ivar[window])
    other = straight.flux[window] * np.sqrt(straight.ivar[window])
    assert np.median(ratio) == pytest.approx(np.median(other), rel=0.25)
