"""How much a claim may count: S/N, detection limits, claims that need others, groups."""

from dataclasses import replace

import numpy as np
import pytest

from agent.evidence.findings import GROUP_CAP, Finding, _capped, check_claims
from agent.evidence.measurements import SpectrumMeasurements
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import Evidence, find_task
from tests.agent.evidence.simulated import simulated_spectrum
from tests.agent.spectra.measure.known_lines import BROAD, WIDE, observed
from tests.agent.tasks.test_task import claim


def found(spectrum: Spectrum, task_id: str) -> dict[str, Finding]:
    return {
        each.evidence.id: each
        for each in check_claims(find_task(task_id), SpectrumMeasurements(spectrum))
    }


def test_every_claim_of_every_task_is_answered_or_says_why_not():
    for task_id in ("CV", "CS", "SS", "MG", "WD", "O", "B", "A"):
        findings = check_claims(find_task(task_id), SpectrumMeasurements(simulated_spectrum("K")))
        assert [each.evidence for each in findings] == list(find_task(task_id).evidence)
        for each in findings:
            assert each.is_testable == (each.reason == "")
            assert each.is_testable or each.log_odds == 0.0
            assert not each.is_testable or np.isfinite(each.value)


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
    assert findings["balmer_width"].reason == "it needs Hα to be found first"
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
