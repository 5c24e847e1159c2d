import numpy as np
import pytest

from tests.train.simulate.helpers import flat, smooth, star
from tests.train.simulate.telescope.conftest import Look, level
from train.simulate.telescope.detector import (
    correlated,
    electrons_for_snr,
    rounded_to_12_bits,
    stated_variance,
)
from train.simulate.telescope.instrument import BANDS, pixels_between
from train.simulate.telescope.surveys import SURVEYS
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


def high_passed(values: np.ndarray) -> np.ndarray:
    """Third differences: the noise without the spectrum, unit variance for white noise."""
    return np.diff(values, 3) / np.sqrt(20.0)


def spread(values: np.ndarray) -> float:
    return float(1.4826 * np.median(np.abs(values - np.median(values))))


@pytest.mark.parametrize("snr", [5.0, 30.0, 150.0])
def test_electrons_give_the_ratio_asked_for(snr: float) -> None:
    electrons = electrons_for_snr(snr, 700.0)
    assert electrons / np.sqrt(electrons + 700.0) == pytest.approx(snr)


def test_variance_is_photons_plus_background() -> None:
    flux = np.array([0.0, 1.0, 3.0])
    ones = np.ones(3)
    variance = stated_variance(flux, ones, ones, (100.0, 20.0, 5.0))
    assert variance * 100.0**2 == pytest.approx(flux * 100.0 + 25.0)


def test_negative_flux_has_the_variance_of_the_background() -> None:
    ones = np.ones(1)
    dark = stated_variance(-ones, ones, ones, (100.0, 20.0, 5.0))
    assert dark == pytest.approx(stated_variance(0 * ones, ones, ones, (100.0, 20.0, 5.0)))


@pytest.mark.parametrize("neighbours", [(0.0, 0.0), (0.17, -0.01), (0.13, -0.07)])
def test_correlated_noise_has_unit_variance_and_the_stated_correlation(
    rng: np.random.Generator, neighbours: tuple[float, float]
) -> None:
    noise = correlated(rng, 400_000, neighbours)
    one, two = neighbours
    expected = (2 * one + 2 * one * two) / (1 + 2 * one**2 + 2 * two**2)
    assert noise.std() == pytest.approx(1.0, abs=0.01)
    assert np.mean(noise[1:] * noise[:-1]) == pytest.approx(expected, abs=0.01)


def test_coarse_weights_are_float32_values_within_one_in_ten_thousand(
    rng: np.random.Generator,
) -> None:
    values = 10.0 ** rng.uniform(-8, 8, 1000)
    rounded = rounded_to_12_bits(values)
    assert np.abs(rounded / values - 1).max() < 2e-4
    assert (rounded == rounded.astype(np.float32)).all()
    assert (rounded_to_12_bits(np.zeros(3)) == 0).all()


@pytest.mark.parametrize("survey", list(SURVEYS))
@pytest.mark.parametrize("snr", [6.0, 60.0])
def test_file_states_the_snr_asked_for(rng: np.random.Generator, survey: str, snr: float) -> None:
    seen = observe(smooth(), survey, rng, snr=snr, quality="good", release="DR8")
    inside = pixels_between(seen.wavelength, *BANDS["r"])
    good = seen.ivar[inside] > 0
    ratio = seen.flux[inside][good] * np.sqrt(seen.ivar[inside][good])
    assert np.median(ratio) == pytest.approx(snr, rel=0.12)


@pytest.mark.parametrize("survey", list(SURVEYS))
def test_scatter_over_stated_errors_is_as_in_the_survey(
    rng: np.random.Generator, survey: str
) -> None:
    """White-noise part of the scatter, in units of the stated error, averaged over files."""
    profile = SURVEYS[survey]
    ratios = []
    for _ in range(30):
        seen = observe(smooth(), survey, rng, snr=15.0, quality="good", release="DR8")
        window = pixels_between(seen.wavelength, 5950.0, 6250.0)
        pull = seen.flux[window] * np.sqrt(seen.ivar[window])
        ratios.append(spread(high_passed(pull[seen.ivar[window] > 0])))
    one, two = profile.correlation
    taps = np.convolve(np.array([1, -3, 3, -1]), [two, one, 1, one, two])
    white = np.sqrt((taps**2).sum() / 20 / (1 + 2 * one**2 + 2 * two**2))
    expected = np.exp(profile.noise_over_reported[0]) * white
    assert np.median(ratios) == pytest.approx(expected, rel=0.12)


def test_blue_end_is_noisier_than_red_in_lamost(rng: np.random.Generator) -> None:
    ratios = []
    for _ in range(20):
        snr = observe(star(), "LAMOST", rng, snr=40.0).snr
        ratios.append(snr["u"] / snr["r"])
    assert 0.1 < np.median(ratios) < 0.45


def test_low_snr_blue_pixels_go_negative(rng: np.random.Generator) -> None:
    seen = observe(smooth(3800.0), "LAMOST", rng, snr=6.0, release="DR10")
    assert (seen.flux[:300] < 0).any()


def test_sky_lines_raise_the_stated_errors(rng: np.random.Generator) -> None:
    seen = observe(flat(), "SDSS", rng, snr=5.0, quality="good")
    line = seen.ivar[np.argmin(np.abs(seen.wavelength - 5578.3))]
    beside = np.median(seen.ivar[pixels_between(seen.wavelength, 5520.0, 5560.0)])
    assert 0 <= line < 0.3 * beside
