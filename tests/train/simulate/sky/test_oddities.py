from __future__ import annotations

import numpy as np
import pytest

from tests.train.simulate.sky.helpers import draws, measure, median
from train.simulate.source import GRID


def test_symbiotic_stars_have_the_bands_of_giants_and_hot_lines() -> None:
    stars = draws("SYMBIOTIC", count=12)
    assert median(stars, "TiO5") < 0.75
    assert all(measure(star, "EW_H_alpha") < -5 for star in stars)


def test_classical_t_tauri_stars_emit_more_than_weak_lined_ones() -> None:
    classical, weak = (median(draws("YSO", kind, 8), "EW_H_alpha") for kind in ("CTTS", "WTTS"))
    assert classical < weak - 3 < weak < 0


@pytest.mark.parametrize("subtype", ["compact nebula", "nebula over A", "nebula over cool star"])
def test_nebulae_have_narrow_lines_of_the_gas(subtype: str) -> None:
    for source in draws("NEBULA", subtype, 5):
        for line in (6564.61, 6585.27):
            near = np.abs(GRID - line) < 2
            beside = np.abs(np.abs(GRID - line) - 8) < 2
            assert source.flux[near].max() > 1.02 * np.median(source.flux[beside])


def test_twilight_has_solar_lines_and_smooth_artefacts_have_none() -> None:
    twilight, smooth = (draws("ARTEFACT", kind, 6) for kind in ("twilight", "smooth"))
    assert median(twilight, "EW_H_alpha") > 0.5
    assert abs(median(smooth, "EW_H_alpha")) < 0.2
