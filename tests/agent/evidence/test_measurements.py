"""Measurements of a spectrum: made once, at the star's velocity, refused with a reason."""

from dataclasses import replace

import numpy as np
import pytest

from agent.evidence.assessment import assess
from agent.evidence.measurements import SpectrumMeasurements, measurements_of
from agent.evidence.plausible import (
    has_balmer_emission,
    has_tio,
    is_hot_line,
    is_plausible,
    tells_gravity,
    tio_in_the_way,
)
from agent.evidence.said_numbers import SaidNumbers
from agent.evidence.star_velocity import StarVelocity, star_velocity
from agent.evidence.words import overview
from agent.spectra.lines import builtin_lines
from agent.spectra.measure.measurement import Measurement
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task
from tests.agent.evidence.simulated import numbers_of, simulated_spectrum
from tests.agent.spectra.measure.known_lines import BROAD, WIDE, observed
from tests.bench.bench_redshift import WRONG, judged_as_cv, simulated
from tests.night import BY_NIGHT
from train.simulate.sky import draw_source
from train.simulate.telescope.observation import to_spectrum
from train.simulate.telescope.telescope import observe


def test_a_known_line_has_its_strength_and_width(rng):
    numbers = SpectrumMeasurements(observed([BROAD, WIDE], 30.0, rng))
    strength, width = numbers.line_strength("H_alpha"), numbers.line_width("H_alpha")
    assert strength.number == pytest.approx(BROAD.ew, rel=0.15)
    assert strength.unit == "Å" and width.unit == "km/s"
    assert width.number > 300 and width.significance > 5


def test_what_is_not_there_is_refused_with_a_reason():
    numbers = SpectrumMeasurements(simulated_spectrum("WD"))
    assert numbers.line_width("HeII_5411").reason == "no line above 3 sigma"
    assert numbers.index("no_such_index").reason == "no index has this name"
    assert numbers.snr((20_000.0, 21_000.0)) == 0.0


def test_numbers_about_the_whole_spectrum_are_found_by_name():
    quasar = simulated("QSO", 31)
    numbers = SpectrumMeasurements(quasar)
    assert numbers.whole_spectrum("z").number == quasar.z
    assert numbers.whole_spectrum("snr").number == numbers.overall_snr > 5
    assert 0 <= numbers.whole_spectrum("bad_fraction").number < 1
    nearby = SpectrumMeasurements(replace(simulated_spectrum("QSO"), z=None))
    assert nearby.whole_spectrum("z").reason == "the file states no redshift"


def test_they_are_made_once_and_a_velocity_that_is_given_is_not_measured():
    spectrum = simulated_spectrum("CV")
    numbers = measurements_of(spectrum)
    assert measurements_of(spectrum) is numbers
    assert numbers.line("H_alpha") is numbers.line("H_alpha")
    assert numbers.indices is numbers.indices
    given = StarVelocity(120.0, 5.0, "a catalogue")
    assert SpectrumMeasurements(simulated_spectrum("K"), given).velocity_kms == 120.0


# The velocity that all windows are shifted by: right, or none.
def moved(label: str, factor: float, z: float | None = None) -> Spectrum:
    rest = simulated_spectrum(label)
    return replace(rest, wavelength=rest.wavelength * factor, z=z)


@pytest.mark.parametrize("label", ["K", "A"])
def test_lines_tell_how_fast_a_star_is(label):
    still, fast = (star_velocity(moved(label, factor)) for factor in (1.0, 1.001))
    assert fast.kms - still.kms == pytest.approx(299.8, abs=5.0)
    assert "lines" in fast.source and fast.error_kms < 40


def test_lines_are_believed_over_the_file_and_the_file_over_nothing():
    assert "lines" in star_velocity(moved("K", 1.0, z=-0.0012)).source
    blank = replace(simulated_spectrum("WD"), z=0.0004)
    inside = (blank.wavelength > 5000) & (blank.wavelength < 6000)
    part = Spectrum(wavelength=blank.wavelength[inside], flux=blank.flux[inside], z=0.0004)
    found = star_velocity(part)
    assert found.source == "the file's redshift"
    assert found.kms == pytest.approx(119.9, abs=0.1)


@pytest.mark.parametrize("z", [None, 1.7, 0.02, float("nan")])
def test_without_a_stars_redshift_it_is_taken_to_be_at_rest(z):
    quasar = simulated_spectrum("QSO")
    found = star_velocity(replace(quasar, z=z))
    assert (found.kms, found.source) == (0.0, "")


def test_lines_at_rest_refute_the_redshift_of_a_header_and_those_of_a_galaxy_do_not():
    galaxy = draw_source("GALAXY", np.random.default_rng(3))
    z = float(galaxy.parameters["z"])
    seen = to_spectrum(observe(galaxy, "SDSS", np.random.default_rng(3), snr=40.0, quality="good"))
    assert SpectrumMeasurements(replace(seen, z=z)).whole_spectrum("z").number == z
    star, task = replace(simulated_spectrum("CV"), z=0.11), find_task("CV")
    told, refuted = assess(star, task), "he header gives z = 0.1100, the lines lie at 0"
    assert told.numbers.whole_spectrum("z").reason == f"t{refuted}"
    assert told.log_odds == assess(simulated_spectrum("CV"), task).log_odds
    assert f"T{refuted}." in overview(told, SaidNumbers(told.numbers))


def test_two_balmer_lines_in_emission_refute_it_where_they_are_too_wide_to_agree():
    disc = replace(simulated("CV", 26), z=0.3)
    assert star_velocity(disc).source == "" and measurements_of(disc).refuted_redshift
    for number in 31, 86:
        quasar = simulated("QSO", number)
        assert quasar.z and not measurements_of(quasar).refuted_redshift


def test_a_redshift_at_which_no_lines_are_seen_is_refuted_where_they_would_be():
    """The one broad line at rest is not enough to say that the lines lie at 0."""
    faint = replace(simulated("CV", 0), z=0.19)
    assert measurements_of(faint).refuted_redshift.endswith("its lines do not lie there")
    far = replace(faint, z=6.0)  # nothing of a quasar that is known lies in it
    assert not measurements_of(far).refuted_redshift
    is_gap = (faint.wavelength > 7500.0) & (faint.wavelength < 8100.0)
    arms = replace(faint, flux=np.where(is_gap, np.nan, faint.flux))
    assert not measurements_of(arms).refuted_redshift  # Hα would be between the arms


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_redshift_costs_no_cv(kind):
    count = 200 if BY_NIGHT else 8
    lost = [
        a and not b for a, b in zip(judged_as_cv(count), judged_as_cv(count, kind), strict=True)
    ]
    assert not any(lost)


# What another feature imitates is not called by its name.
@pytest.mark.parametrize(("label", "there"), [("MG", True), ("A", False), ("CV", False)])
def test_tio_is_there_or_not(label: str, there: bool):
    numbers = numbers_of(label)
    assert has_tio(numbers) is there and tio_in_the_way(numbers) is there
    assert is_plausible("TiO_4940", there, numbers)
    assert not is_plausible("TiO_4940", not there, numbers)


def test_gravity_is_told_in_m_stars_alone_and_hot_and_forbidden_lines_are_known():
    assert tells_gravity("CaH1", numbers_of("MG"))
    assert not tells_gravity("NaI_8190", numbers_of("CV"))
    assert not tells_gravity("MgH_5211_edge", numbers_of("MG"))
    assert is_hot_line("HeI_4471") and is_hot_line("HeII_4686") and not is_hot_line("H_alpha")
    assert builtin_lines()["OIII_5007"].is_forbidden
    assert not builtin_lines()["H_beta"].is_forbidden


def test_indices_of_hydrogen_mean_nothing_where_it_emits():
    cv, a_star = numbers_of("CV"), numbers_of("A")
    assert has_balmer_emission(cv) and not has_balmer_emission(a_star)
    assert not is_plausible("HgF", False, cv) and is_plausible("HgF", True, a_star)
    assert not is_plausible("CH_G4300", True, cv) and not is_plausible("H_gamma_D2", True, cv)


def test_a_companion_with_emission_leaves_the_white_dwarf_its_widths(
    monkeypatch: pytest.MonkeyPatch,
):
    numbers = numbers_of("A")
    plain = numbers.line_strength
    emitting = {"H_alpha": Measurement("H_alpha", -8.0, 0.5)}
    monkeypatch.setattr(numbers, "line_strength", lambda name: emitting.get(name) or plain(name))
    assert is_plausible("H_gamma_D2", True, numbers)
    assert not is_plausible("HgF", False, numbers)
