"""Each artefact, alone and strong, does what its name says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np
import pytest

from tests.train.simulate.helpers import flat
from train.simulate.telescope.instrument import pixels_between
from train.simulate.telescope.observation import Observation
from train.simulate.telescope.quality import LAMOST_QUALITY, Quality, graded
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


def test_without_effects_a_flat_source_stays_flat(look: Look) -> None:
    seen = look()
    inside = pixels_between(seen.wavelength, 4200.0, 8900.0)
    scatter = seen.flux[inside] / np.median(seen.flux[inside]) - 1
    assert np.abs(scatter).max() < 0.03
    assert (seen.ivar > 0).all()


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


def test_scaling_quality_moves_every_odds_and_strength() -> None:
    poor = graded(LAMOST_QUALITY, "poor")
    assert poor.join_step > LAMOST_QUALITY.join_step
    assert poor.telluric_left[1] <= 0.9 and poor.end_block_odds <= 0.9
    untouched = {"velocity_error_kms", "resolution_spread", "throughput_spread", "bad_runs",
                 "calibration_tail", "dead_block_pixels", "moon_fraction", "crosstalk_fraction",
                 "ivar_spread"}  # fmt: skip
    same = {
        f.name for f in fields(Quality) if getattr(poor, f.name) == getattr(LAMOST_QUALITY, f.name)
    }
    assert same == untouched
