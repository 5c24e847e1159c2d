"""How much a claim may count: S/N, detection limits, claims that need others, groups."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agent.errors import ResourceError
from agent.evidence.assessment import UNFITTED_WEIGHT, assess, read_weights, weights_for
from agent.evidence.features import FEATURES
from agent.evidence.findings import GROUP_CAP, Finding, _capped, check_claims
from agent.evidence.measurements import (
    SpectrumMeasurements,
    is_hot_line,
    measurements_of,
    window_table,
)
from agent.evidence.places import contains, feature_places, feature_range, window_of
from agent.evidence.plausible import (
    has_balmer_emission,
    has_tio,
    is_plausible,
    tells_gravity,
)
from agent.evidence.said_numbers import SaidNumbers
from agent.evidence.star_velocity import StarVelocity, star_velocity
from agent.evidence.words import overview
from agent.spectra.lines import builtin_lines
from agent.spectra.measure.measurement import Measurement
from agent.spectra.readers.registry import read
from agent.spectra.spectrum import Spectrum, between
from agent.tasks.catalogue import find_task, load_tasks
from agent.tasks.task import Evidence
from tests.agent.evidence.simulated import numbers_of, simulated_spectrum
from tests.agent.spectra.measure.known_lines import BROAD, WIDE, observed
from tests.agent.tasks.test_catalogue import example, put
from tests.agent.tasks.test_task import claim
from tests.bench.bench_redshift import WRONG, judged_as_cv, simulated
from tests.night import BY_NIGHT
from train.simulate.sky import draw_source
from train.simulate.telescope.observation import to_spectrum
from train.simulate.telescope.telescope import observe


def found(spectrum: Spectrum, task_id: str) -> dict[str, Finding]:
    checked = check_claims(find_task(task_id), SpectrumMeasurements(spectrum))
    return {each.evidence.id: each for each in checked}


def test_every_claim_of_every_task_is_answered_or_says_why_not():
    for task_id in ("CV", "CS", "SS", "MG", "WD", "O", "B", "A"):
        findings = check_claims(find_task(task_id), SpectrumMeasurements(simulated_spectrum("K")))
        assert [each.evidence for each in findings] == list(find_task(task_id).evidence)
        for each in findings:
            assert each.is_testable == (each.reason == "")
            assert each.is_testable or each.log_odds == 0.0
            assert not each.is_testable or np.isfinite(each.value)
            speaks_for = each.is_found == (each.evidence.rank != "contaminant")
            assert each.log_odds * (1 if speaks_for else -1) >= 0, "a tick speaks for the class"


def test_numbers_of_a_claim_are_those_of_the_line(rng):
    findings = found(observed([BROAD, WIDE], 30.0, rng), "CV")
    alpha = findings["halpha_emission"]
    assert -alpha.value == pytest.approx(-BROAD.ew, rel=0.15)
    assert alpha.significance > 20 and alpha.log_odds > 0.5
    assert "emission" in alpha.text


def test_noise_makes_a_claim_untestable_but_not_a_clear_line(rng):
    noisy = found(simulated_spectrum("CV", snr=2.0), "CV")
    assert not noisy["hei_emission"].is_testable or abs(noisy["hei_emission"].log_odds) < 1.0
    assert noisy["halpha_emission"].log_odds > 0
    weak = found(simulated_spectrum("O", snr=4.0), "O")["heii_4542"]
    assert "signal-to-noise" in weak.reason and weak.log_odds == 0.0


def test_a_claim_waits_for_those_it_needs_and_outside_the_spectrum_nothing_counts():
    findings = found(simulated_spectrum("K"), "CV")
    assert not findings["halpha_emission"].is_found
    width = findings["balmer_width"]
    assert width.reason == "it needs Hα to be found first" and width.lacks == "Hα"
    measured = SpectrumMeasurements(simulated_spectrum("K")).line_width("H_alpha")
    assert width.value == measured.value and not width.is_found and width.log_odds == 0.0
    whole = simulated_spectrum("MG")
    inside = whole.wavelength < 6000
    blue = Spectrum(wavelength=whole.wavelength[inside], flux=whole.flux[inside])
    findings = found(blue, "MG")
    assert not findings["tio"].is_testable and findings["tio"].log_odds == 0.0
    assert findings["tio_blue"].is_testable


def test_claims_of_a_group_count_little_more_than_the_best():
    def member(name: str, nats: float, group: str = "c2") -> Finding:
        evidence: Evidence = replace(claim(), id=name, group=group)
        return Finding(evidence=evidence, value=1.0, error=0.1, log_odds=nats)

    best, second, third, other, against = _capped(
        [member("a", 3.0), member("b", 2.0), member("c", 1.0), member("d", 2.0, ""),
         member("e", -1.0)]
    )  # fmt: skip
    assert best.log_odds + second.log_odds + third.log_odds == pytest.approx(GROUP_CAP * 3.0)
    assert best.log_odds / second.log_odds == pytest.approx(1.5)
    assert other.log_odds == 2.0 and against.log_odds == -1.0


# Every claim is said of a window that shows it.
NOWHERE = {"CS hot", "B hei_red"}
"""Claims whose feature may lie in no window of their task: they are said of the whole spectrum."""


@pytest.mark.parametrize("label", ["CV", "WD", "MG", "B"])
def test_the_window_shows_what_decides_the_claim(label: str):
    numbers = measurements_of(simulated_spectrum(label))
    for task in load_tasks():
        for finding in check_claims(task, numbers):
            if not finding.is_testable or finding.evidence.kind == "quality":
                continue
            window = window_of(finding, task, numbers)
            ranges = [feature_range(name) for name in finding.evidence.target]
            if window is None:
                assert f"{task.id} {finding.evidence.id}" in NOWHERE
            elif len(ranges) == 1:
                assert ranges[0] is not None and contains(window.range, ranges[0])
            else:
                assert any(each and contains(window.range, each) for each in ranges)


def test_he_i_5876_is_not_said_of_the_window_of_h_alpha_and_a_redshift_of_none():
    task, numbers = find_task("CV"), measurements_of(simulated_spectrum("CV"))
    evidence = next(each for each in task.evidence if each.id == "hei_emission")
    value = numbers.line_strength("HeI_5876").value
    assert value is not None
    window = window_of(Finding(evidence=evidence, value=value), task, numbers)
    assert window is not None and window.id == "hei5876"
    redshift = next(each for each in task.evidence if each.id == "redshift")
    assert window_of(Finding(evidence=redshift, value=0.0), task, numbers) is None


def test_features_have_their_places():
    places = ((6564.612880603939,) * 2,)
    assert feature_places("H_alpha_em_fwhm") == feature_places("EW_H_alpha") == places
    assert len(feature_places("HeI_both")) == 2
    assert feature_places("bend") == feature_places("colour_4200_5400") == ()
    ((low, high),) = feature_places("Dn4000")
    assert 3950 < low == high < 4000
    assert all(isinstance(feature_places(name), tuple) for name in FEATURES)


# Weights of the tasks: fitted ones that fit the task, the file's own otherwise.
FILE = """
[[tasks]]
id = "X"
intercept = -1.5
kind = 0.8
claims = ["one", "two"]
weights = [0.4, 0]
"""


@pytest.mark.parametrize("task_id", ["CV", "CS", "SS", "MG", "WD", "O", "B", "A"])
def test_every_bundled_task_has_fitted_weights_of_its_own_claims(task_id):
    weights = weights_for(find_task(task_id))
    assert weights.kind > 0
    assert list(weights.claims) == [entry.id for entry in find_task(task_id).evidence]
    assert all(weight >= 0 for weight in weights.claims.values())
    assert sum(weights.claims.values()) > 1.0


def test_a_changed_or_own_task_falls_back_on_its_file(tmp_path: Path):
    cv = find_task("CV")
    fewer = replace(cv, evidence=cv.evidence[:3])
    for own in (fewer, replace(cv, path=tmp_path / "cv.toml")):
        weights = weights_for(own)
        assert weights.kind == 0.0
        assert set(weights.claims.values()) == {UNFITTED_WEIGHT}
    path = tmp_path / "be.toml"
    path.write_text(example(), encoding="utf-8")
    assert set(weights_for(find_task(str(path))).claims) == {"halpha_emission", "hei_absorption"}


def test_a_file_of_weights_is_read(tmp_path: Path):
    weights = read_weights(put(tmp_path, "weights.toml", FILE))["X"]
    assert (weights.intercept, weights.kind) == (-1.5, 0.8)
    assert dict(weights.claims) == {"one": 0.4, "two": 0.0}


@pytest.mark.parametrize(("old", "new", "words"), [
    ("[0.4, 0]", "[0.4]", "expected 2 numbers"),
    ("[0.4, 0]", "[0.4, -1]", "weights"),
    ("kind = 0.8", "kind = -0.8", "kind"),
    ("kind = 0.8", "kind = 0.8\nspin = 2", "spin"),
    ("intercept = -1.5", "intercept = inf", "intercept"),
])  # fmt: skip
def test_a_faulty_file_of_weights_is_refused(tmp_path: Path, old: str, new: str, words: str):
    with pytest.raises(ResourceError, match=words):
        read_weights(put(tmp_path, "weights.toml", FILE.replace(old, new, 1)))


# Measurements of a spectrum: made once, at the star's velocity, refused with a reason.
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
    assert has_tio(numbers) is there and numbers.has_deep_bands is there
    assert is_plausible("TiO_4940", there, numbers)
    assert not is_plausible("TiO_4940", not there, numbers)


EMISSION = ("halpha_emission", "hbeta_emission")


@pytest.mark.parametrize("label", ["MG", "M_DWARF"])
def test_the_flux_between_bands_is_no_emission_line(label: str):
    for seed in range(6):
        checked = found(simulated_spectrum(label, seed=seed), "CV")
        assert not any(checked[name].is_found for name in EMISSION)


@pytest.mark.parametrize("label", ["K", "M_DWARF", "MG"])
def test_a_cool_star_absorbs_at_no_line_of_hot_gas(label: str):
    for seed in range(4):
        for task in "O", "B":
            checked = found(simulated_spectrum(label, seed=seed), task)
            hot = [each for each in checked.values() if all(map(is_hot_line, each.evidence.target))]
            absorbed = [each for each in hot if each.evidence.expect in ("absorption", "above")]
            assert absorbed and not any(each.is_found for each in absorbed)


def gas_lines(spectrum: Spectrum) -> set[tuple[str, str]]:
    """Lines of hydrogen and of hot gas in the windows of an O star, each with its kind."""
    lines = builtin_lines()
    windows = [window_table(spectrum, *window.range) for window in find_task("O").windows]
    rows = [row for table in windows for row in table.get("lines", ())]
    is_gas = [is_hot_line(row["name"]) or lines[row["name"]].species == "H I" for row in rows]
    return {(row["name"], row["kind"]) for row, is_one in zip(rows, is_gas, strict=True) if is_one}


@pytest.mark.parametrize("bluest", [3000.0, 4200.0])
@pytest.mark.parametrize("label", ["K", "M_DWARF", "MG"])
def test_tables_of_a_cool_star_list_narrow_hydrogen_alone(label: str, bluest: float):
    for seed in range(4):
        star = between(simulated_spectrum(label, seed=seed), bluest, 10_000.0)
        for name, kind in gas_lines(star):
            assert name.startswith("H_") and kind == "absorption"


def test_a_cool_star_is_known_by_magnesium_where_its_break_is_not_measured(labelled_spectra: Path):
    whole = read(labelled_spectra / "spec-55862-B6212_sp06-020.fits")  # without light there
    assert measurements_of(whole).is_cool and not found(whole, "CV")["hbeta_emission"].is_found
    for number in range(37, 43):
        giant = read(labelled_spectra / f"miles_{number:03}.fits")
        assert measurements_of(between(giant, 4200.0, 5900.0)).is_cool
    donor = between(read(labelled_spectra / "sdss_011.fits"), 4200.0, 5900.0)
    assert measurements_of(donor).is_cool and found(donor, "CV")["hbeta_emission"].is_found


def test_tables_of_real_cool_stars_list_emission_of_the_active_ones_alone(labelled_spectra: Path):
    emits = set()
    for path in sorted(labelled_spectra.glob("miles_0[0-4]*")):
        spectrum = read(path)
        if measurements_of(spectrum).is_cool:
            emits |= {path.stem for _, kind in gas_lines(spectrum) if kind == "emission"}
    assert emits == {"miles_024", "miles_026", "miles_027"}


def test_helium_of_an_am_cvn_star_is_listed_though_its_line_at_7065_looks_like_tio():
    disc = simulated_spectrum("AM CVn", seed=34)
    assert measurements_of(disc).has_deep_bands
    listed = {name for name, kind in gas_lines(disc) if kind == "emission"}
    assert {"HeI_4471", "HeI_5876"} <= listed


def test_of_real_m_giants_one_has_balmer_emission(labelled_spectra: Path):
    """Hα of miles_010, a giant with a hot companion, is too weak for a CV."""
    for path in sorted(labelled_spectra.glob("miles_01*")):
        checked = found(read(path), "CV")
        assert not any(checked[name].is_found for name in EMISSION)
        ew = checked["halpha_emission"].value
        assert ew == pytest.approx(-2.0, abs=0.1) if path.stem == "miles_010" else not ew < -1.0


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
