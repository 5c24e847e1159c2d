"""How much a claim may count: S/N, detection limits, claims that need others, groups."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agent.errors import ResourceError
from agent.evidence.assessment import UNFITTED_WEIGHT, read_weights, weights_for
from agent.evidence.features import FEATURES
from agent.evidence.findings import GROUP_CAP, Finding, _capped, check_claims
from agent.evidence.measurements import SpectrumMeasurements, measurements_of
from agent.evidence.places import contains, feature_places, feature_range, window_of
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task, load_tasks
from agent.tasks.task import Evidence
from tests.agent.evidence.simulated import simulated_spectrum
from tests.agent.spectra.measure.known_lines import BROAD, WIDE, observed
from tests.agent.tasks.test_catalogue import example, put
from tests.agent.tasks.test_task import claim


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
