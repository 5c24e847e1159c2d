from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from agent.errors import WorkbenchError
from tests.train.simulate.helpers import H_ALPHA, flat, planck, smooth, star
from tests.train.simulate.telescope.conftest import Look
from train.simulate.source import GRID, LIGHT_KMS, Source
from train.simulate.telescope.instrument import pixels_between
from train.simulate.telescope.surveys import SURVEYS
from train.simulate.telescope.telescope import SNR_RANGE, observe


@pytest.mark.parametrize("survey", list(SURVEYS))
def test_same_seed_same_spectrum_and_another_seed_another(survey: str) -> None:
    one, two, other = (observe(star(), survey, np.random.default_rng(seed)) for seed in (4, 4, 5))
    assert one.flux.tobytes() == two.flux.tobytes()
    assert one.ivar.tobytes() == two.ivar.tobytes()
    assert one.parameters == two.parameters
    assert one.parameters != other.parameters


def test_effects_are_recorded(rng: np.random.Generator) -> None:
    recorded = observe(star(), "LAMOST", rng).parameters
    assert {
        "snr_asked", "velocity_seen_kms", "sharpness", "sky_over_object", "oxygen_left",
        "sky_left", "noise_over_stated", "calibration_end_to_end", "join_step_0", "bad_runs",
        "cosmics", "release",
    } <= set(recorded)  # fmt: skip


def test_snr_is_drawn_from_the_range_when_not_asked(rng: np.random.Generator) -> None:
    asked = [float(observe(star(), "SDSS", rng).parameters["snr_asked"]) for _ in range(40)]
    assert min(asked) >= SNR_RANGE[0] and max(asked) <= SNR_RANGE[1]
    assert np.median(asked) < 50


def test_a_star_is_seen_at_its_velocity(rng: np.random.Generator) -> None:
    velocities = []
    for _ in range(15):
        source = star(velocity_kms=300.0)
        seen = observe(source, "SDSS", rng, snr=150.0, quality="good")
        window = pixels_between(seen.wavelength, 6530.0, 6612.0)
        w, depth = seen.wavelength[window], 1 - seen.flux[window] / seen.flux[window].max()
        core = depth > 0.5 * depth.max()
        centre = (w[core] * depth[core]).sum() / depth[core].sum()
        velocities.append(LIGHT_KMS * (centre / H_ALPHA - 1))
    assert np.median(velocities) == pytest.approx(300.0, abs=15.0)


def test_a_redshifted_source_is_not_shifted_again(rng: np.random.Generator) -> None:
    flux = planck(6000.0) * (1 + 5 * np.exp(-0.5 * ((GRID - 7000.0) / 30.0) ** 2))
    source = Source("QSO", "QSO", flux, z=1.5)
    seen = observe(source, "SDSS", rng, snr=100.0, quality="good")
    window = pixels_between(seen.wavelength, 6900.0, 7100.0)
    assert seen.wavelength[window][np.argmax(seen.flux[window])] == pytest.approx(7000.0, abs=15)


@pytest.mark.parametrize("survey", ["LAMOST", "DESI"])
def test_spectrum_ends_where_the_base_does(rng: np.random.Generator, survey: str) -> None:
    source = replace(star(), valid=(3900.0, 7400.0))
    seen = observe(source, survey, rng)
    good = seen.wavelength[seen.ivar > 0]
    assert 3899.0 < good[0] < 3920.0
    assert 7360.0 < good[-1] < 7401.0
    # A DESI file holds several targets on one grid.
    assert (seen.wavelength.size == SURVEYS[survey].wavelength.size) == (survey == "DESI")


def test_a_base_without_overlap_is_refused(rng: np.random.Generator) -> None:
    with pytest.raises(WorkbenchError, match="too little"):
        observe(replace(star(), valid=(9090.0, 9100.0)), "LAMOST", rng)


def test_darkness_is_refused(rng: np.random.Generator) -> None:
    with pytest.raises(WorkbenchError, match="no flux"):
        observe(replace(star(), flux=np.zeros(GRID.size)), "LAMOST", rng)


def test_poor_quality_is_worse_than_good(rng: np.random.Generator) -> None:
    def error(quality: str) -> float:
        bent = []
        for _ in range(25):
            seen = observe(flat(), "LAMOST", rng, 100.0, quality=quality, release="DR8")
            good = seen.ivar > 0
            bent.append(np.std(np.log(np.maximum(seen.flux[good][900:], 1e-3))))
        return float(np.median(bent))

    assert error("poor") > 2.0 * error("good")


def test_hot_and_cool_stars_have_the_right_bands_well_exposed(rng: np.random.Generator) -> None:
    hot = observe(smooth(30000.0), "SDSS", rng, snr=30.0).snr
    cool = observe(smooth(3000.0), "SDSS", rng, snr=30.0).snr
    assert hot["g"] > 2 * cool["g"]
    assert cool["z"] > hot["z"]


def test_without_effects_a_flat_source_stays_flat(look: Look) -> None:
    seen = look()
    inside = pixels_between(seen.wavelength, 4200.0, 8900.0)
    scatter = seen.flux[inside] / np.median(seen.flux[inside]) - 1
    assert np.abs(scatter).max() < 0.03
    assert (seen.ivar > 0).all()
