"""The measured inspector's sentences, word for word: models were trained on them."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

from agent.evidence.assessment import assess
from agent.evidence.findings import Finding
from agent.evidence.words import chance_text, finding_text, kind_name, kind_signs, overview
from agent.tasks.catalogue import find_task
from tests.agent.evidence.simulated import simulated_spectrum
from tests.agent.tasks.test_task import claim


def test_the_overview_names_range_noise_colour_and_kind():
    assessment = assess(simulated_spectrum("CV"), find_task("CV"))
    low, high = assessment.numbers.spectrum.range
    text = overview(assessment)
    assert text.startswith(
        f"The spectrum covers {low:.0f} to {high:.0f} Å with a median S/N of "
        f"{assessment.snr:.0f} per pixel."
    )
    assert re.search(r"The continuum .*: the flux at 4240 is \d\.\d\d of that at 6630\.", text)
    assert "At first sight it looks like a cataclysmic variable" in text


def test_signs_of_a_kind_are_few_and_none_is_empty():
    kinds = assess(simulated_spectrum("MG"), find_task("MG")).kinds
    signs = kind_signs(kinds, "MG", "M_DWARF", 3)
    assert 1 <= len(signs) <= 3 and all(signs)


def test_kinds_have_names():
    assert kind_name("SDB") == "a hot subdwarf"
    assert kind_name("SOME_KIND") == "some kind"


@pytest.mark.parametrize(
    ("changes", "value", "error", "text"),
    [
        ({}, -42.3, 2.0, "Hα 42 found, at 21 sigma"),
        ({}, -42.3, 0.01, "Hα 42 found, at 999 sigma"),
        ({}, -5.0, 4.0, "Hα 5 found, within the noise"),
        ({}, -42.3, 0.0, "Hα 42 found"),
        ({"kind": "width", "expect": "above"}, 900.0, 12.0, "Hα 900 found, error 12"),
        ({"kind": "index", "expect": "above"}, 9.0, 0.125, "Hα 9 found, error 0.12"),
        ({"kind": "quality", "expect": "above"}, 9.0, 0.125, "Hα 9 found"),
    ],
)
def test_a_finding_is_told_with_its_significance_or_error(changes, value, error, text):
    evidence = replace(claim(**changes), text_found="{label} {value:.0f} found")
    assert finding_text(Finding(evidence=evidence, value=value, error=error)) == text


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
