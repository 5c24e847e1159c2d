from __future__ import annotations

import numpy as np
import pytest

from tests.train.simulate.helpers import star
from train.simulate.identity import FIRST_PLATE, draw_target, sexagesimal
from train.simulate.telescope.telescope import observe


@pytest.mark.parametrize(
    ("ra", "dec", "text"),
    [
        (99.135319, 27.147235, "063632.47+270850.0"),
        (0.0, -0.5, "000000.00-003000.0"),
        (359.99999, 59.99999, "235959.99+595959.9"),
    ],
)
def test_designation(ra: float, dec: float, text: str) -> None:
    assert sexagesimal(ra, dec) == text


def test_targets_are_unique_and_of_no_real_survey(rng: np.random.Generator) -> None:
    seen = observe(star(), "LAMOST", rng)
    targets = [draw_target(seen, index, rng) for index in range(600)]
    numbers = {(t.plate, t.fiber) for t in targets}
    assert len(numbers) == len({t.targetid for t in targets}) == 600
    assert min(t.plate for t in targets) >= FIRST_PLATE
    assert all(t.designation.startswith("SIM J") and -90 <= t.dec <= 90 for t in targets)
    assert max(t.targetid for t in targets) < 2**63


def test_magnitudes_follow_brightness_and_colour(rng: np.random.Generator) -> None:
    def mean(kelvin: float, snr: float) -> tuple[float, float]:
        targets = [
            draw_target(observe(star(kelvin), "SDSS", rng, snr), 0, rng).magnitudes
            for _ in range(12)
        ]
        red, green = ([target[band] for target in targets] for band in "rg")
        return float(np.mean(red)), float(np.mean(np.subtract(green, red)))

    bright, blue = mean(15000.0, 80.0)
    faint, red = mean(3500.0, 8.0)
    assert bright < faint - 1.5 and blue < red - 0.5
