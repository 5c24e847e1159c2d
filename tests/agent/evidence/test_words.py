"""The measured inspector's sentences, word for word."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

from agent.evidence.assessment import assess
from agent.evidence.findings import Finding, check_claims
from agent.evidence.measurements import measurements_of
from agent.evidence.said_numbers import SaidNumbers
from agent.evidence.words import chance_text, finding_texts, kind_name, kind_signs, overview
from agent.tasks.catalogue import find_task
from tests.agent.evidence.simulated import simulated_spectrum
from tests.agent.tasks.test_task import claim


def test_the_overview_names_range_noise_colour_and_kind():
    assessment = assess(simulated_spectrum("CV"), find_task("CV"))
    low, high = assessment.numbers.spectrum.range
    said = SaidNumbers(assessment.numbers)
    text = overview(assessment, said)
    assert text.startswith(
        f"The spectrum covers {low:.0f} to {high:.0f} Å with a median S/N of "
        f"{assessment.snr:.0f} per pixel."
    )
    assert re.search(r"The continuum .*: the flux at 4240 is \d\.\d\d of that at 6630\.", text)
    assert "At first sight it looks like a cataclysmic variable" in text
    assert "flux at 4240 over 6630" in said.values


def test_signs_of_a_kind_are_few_and_none_is_empty():
    assessment = assess(simulated_spectrum("MG"), find_task("MG"))
    signs = kind_signs(assessment.kinds, "MG", "M_DWARF", 3, SaidNumbers(assessment.numbers))
    assert 1 <= len(signs) <= 3 and all(signs)


def test_kinds_have_names():
    assert kind_name("SDB") == "a hot subdwarf"
    assert kind_name("SOME_KIND") == "some kind"


@pytest.mark.parametrize(
    ("changes", "value", "error", "text"),
    [
        ({"kind": "index", "expect": "above"}, 9.0, 0.125, "Hα 9.00 ± 0.12 found"),
        ({"kind": "index", "expect": "above"}, 9.0, 0.001, "Hα 9.00 found"),
        ({"kind": "index", "expect": "above"}, 9.0, 0.0, "Hα 9.00 found"),
        ({"kind": "edge", "expect": "above"}, 9.0, 5.0, "Hα 9.00 ± 5.00 found, within the noise"),
        ({"kind": "quality", "expect": "above"}, 9.0, 0.0, "Hα 9.00 found"),
    ],
)
def test_a_number_is_told_with_its_error_and_noted(changes, value, error, text):
    evidence = replace(
        claim(**{"target": ("TiO5",), **changes}), text_found="{label} {value:.2f} found"
    )
    said = SaidNumbers(measurements_of(simulated_spectrum("CV")))
    finding = Finding(evidence=evidence, value=value, error=error)
    assert finding_texts([finding], said, find_task("CV")) == [text]
    assert said.values["Hα"]["value"] == value


def told(label: str, task_id: str, **options: object) -> str:
    task, spectrum = find_task(task_id), simulated_spectrum(label, **options)
    said = SaidNumbers(measurements_of(spectrum))
    findings = [each for each in check_claims(task, said.numbers) if each.is_testable]
    return "; ".join(finding_texts(findings, said, task))


def test_a_line_is_told_with_its_state_and_what_it_means():
    cv = told("CV", "CV")
    assert re.search(
        r"Hα emission, EW -[\d.]+ ± [\d.]+ Å, FWHM \d+ km/s: (?:wide as in|narrow for) a CV", cv
    )
    assert cv.count("Hα emission") == 1
    narrow = told("YSO", "CV", seed=5)
    assert re.search(r"Hα emission, EW [-\d.]+ ± [\d.]+ Å, FWHM \d+ km/s: narrow for a CV", narrow)
    dwarf = told("K", "CV")
    assert re.search(r"no He I \d{4} emission, EW [-\d.]+ ± [\d.]+ Å", dwarf)
    assert "in emission" not in cv + dwarf


@pytest.mark.parametrize(
    ("p_yes", "text"),
    [
        (0.995, "above 99 per cent"),
        (0.004, "below 1 per cent"),
        (0.5, "at 50 per cent"),
        (math.nextafter(0.99, 0), "at 99 per cent"),
    ],
)
def test_a_chance_is_told_in_per_cent(p_yes, text):
    assert chance_text(p_yes) == text
