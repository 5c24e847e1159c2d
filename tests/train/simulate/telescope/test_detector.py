from __future__ import annotations

import numpy as np

from tests.train.simulate.helpers import flat
from tests.train.simulate.telescope.conftest import Look, level
from train.simulate.telescope.instrument import pixels_between
from train.simulate.telescope.telescope import observe


def test_cosmics_are_narrow_and_tall(look: Look) -> None:
    seen = look(snr=50.0, cosmic_mean=30.0)
    inside = pixels_between(seen.wavelength, 4500.0, 8200.0)
    pull = (seen.flux[inside] / np.median(seen.flux[inside]) - 1) * 50.0
    assert 5 < (pull > 6).sum() < 120


def test_bad_runs_have_no_weight_and_some_collapse(look: Look) -> None:
    seen = look(bad_runs=(3.0, 0.1))
    lost = seen.ivar == 0
    assert 60 < lost.sum() < 400
    assert (seen.flux[lost] < 0.7 * level(seen, 6000, 7000)).any()


def test_dead_block_is_zeros_without_weight_near_the_join(look: Look) -> None:
    seen = look(dead_block_odds=1.0)
    dead = (seen.flux == 0) & (seen.ivar == 0)
    assert dead.sum() == seen.parameters["dead_block_pixels"] >= 40
    assert 4300 < seen.wavelength[dead].min() < seen.wavelength[dead].max() < 6000
    assert (seen.andmask[dead] == 1).all()


def test_red_end_is_lost(look: Look) -> None:
    seen = look(end_block_odds=1.0)
    assert (seen.flux[-8:] == 0).all() and (seen.ivar[-8:] == 0).all()


def test_first_release_flags_oxygen_and_doubts_windows(look: Look) -> None:
    early, late = look(release="DR1"), look(release="DR10")
    oxygen = pixels_between(early.wavelength, 7590.0, 7670.0)
    assert (early.ivar[oxygen] == 0).all()
    window = pixels_between(early.wavelength, 4855.0, 4870.0)
    beside = pixels_between(early.wavelength, 4900.0, 4950.0)
    assert np.median(early.ivar[window]) < 0.3 * np.median(early.ivar[beside])
    assert np.median(late.ivar[window]) > 0.8 * np.median(late.ivar[beside])


def test_early_release_habits_are_lamosts_alone(rng: np.random.Generator) -> None:
    seen = observe(flat(), "DESI", rng, 50.0, quality="good", release="DR1")
    assert "doubted_windows" not in seen.parameters
