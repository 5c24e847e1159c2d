from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.train.simulate.helpers import flat
from tests.train.simulate.telescope.conftest import Look
from tests.train.simulate.telescope.helpers import level
from train.simulate.source import GRID, Source
from train.simulate.telescope.instrument import pixels_between
from train.simulate.telescope.quality import LAMOST_QUALITY
from train.simulate.telescope.telescope import observe


def test_sky_residuals_sit_on_sky_lines(look: Look) -> None:
    seen = look(snr=20.0, sky_residual=(0.3, 0.31))
    near, beside = level(seen, 5577.5, 5579.5), level(seen, 5530, 5560)
    assert abs(near / beside - 1) > 0.3
    oh = pixels_between(seen.wavelength, 8760, 9000)
    clean = pixels_between(seen.wavelength, 6100, 6230)
    assert seen.flux[oh].std() > 3 * seen.flux[clean].std()


def test_drifted_sky_line_leaves_a_pair_of_opposite_signs(look: Look) -> None:
    seen = look(snr=30.0, sky_drift_pixels=0.4)
    window = pixels_between(seen.wavelength, 5565.0, 5592.0)
    residual = seen.flux[window] / level(seen, 5520, 5560) - 1
    assert residual.max() > 0.1 and residual.min() < -0.1


def test_telluric_bands_absorb_where_they_are(look: Look) -> None:
    seen = look(telluric_odds=1.0, telluric_left=(0.5, 0.51))
    assert level(seen, 7604, 7612) / level(seen, 7500, 7560) < 0.65
    assert level(seen, 6870, 6880) / level(seen, 6780, 6840) < 0.85
    assert level(seen, 7000, 7100) / level(seen, 6600, 6800) == pytest.approx(1.0, abs=0.03)


def test_nebular_lines_come_with_either_sign(look: Look) -> None:
    heights = []
    for _ in range(12):
        seen = look(snr=30.0, nebular_odds=1.0, nebular_left=(0.3, 0.31))
        heights.append(level(seen, 6563.5, 6566) / level(seen, 6600, 6700) - 1)
    assert max(heights) > 0.05 and min(heights) < -0.05


def test_moonlight_brings_the_suns_lines(look: Look) -> None:
    seen = look(snr=15.0, moon_odds=1.0, moon_fraction=(0.25, 0.251))
    assert level(seen, 3933, 3937) < level(seen, 4000, 4040)
    assert float(seen.parameters["moon"]) > 0


def test_a_neighbour_leaves_its_lines(rng: np.random.Generator) -> None:
    bump = 1.0 + 30.0 * np.exp(-0.5 * ((GRID - 5200.0) / 8.0) ** 2)
    neighbour = Source("K", "K", bump)
    fraction = replace(LAMOST_QUALITY, crosstalk_fraction=(0.3, 0.31), dead_block_odds=0.0)
    seen = observe(flat(), "LAMOST", rng, 200.0, neighbour, quality=fraction, release="DR8")
    peak = seen.flux[np.argmin(np.abs(seen.wavelength - 5200.0))]
    beside = np.median(seen.flux[pixels_between(seen.wavelength, 5100.0, 5150.0)])
    assert peak > 3 * beside
    assert seen.parameters["neighbour"] == "K"
    assert "neighbour" not in observe(flat(), "LAMOST", rng).parameters
