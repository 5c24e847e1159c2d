from __future__ import annotations

from pathlib import Path

import pytest

from tests.train.questions.helpers import library
from train.questions.settings import QuestionSettings
from train.questions.spectrum_questions import questions_on_spectrum


def test_a_number_alone_makes_its_spectrum():
    settings = QuestionSettings()
    one, other, next_ = (
        questions_on_spectrum(settings, 5, 17),
        questions_on_spectrum(settings, 5, 17),
        questions_on_spectrum(settings, 5, 18),
    )
    assert one.examples[0].sha256 == other.examples[0].sha256
    assert one.examples[0].sha256 != next_.examples[0].sha256
    assert one.examples[0].sha256 != questions_on_spectrum(settings, 6, 17).examples[0].sha256


def test_distortions_change_the_spectrum_alone():
    plain, bent = QuestionSettings(untouched=1.0), QuestionSettings(untouched=0.0)
    one, other = questions_on_spectrum(plain, 5, 3), questions_on_spectrum(bent, 5, 3)
    assert not one.distortions and other.distortions
    first, second = one.examples[0], other.examples[0]
    assert (first.key, first.label, first.subtype) == (second.key, second.label, second.subtype)
    assert first.sha256 != second.sha256


@pytest.mark.parametrize(("share", "expected"), [(1.0, True), (0.0, False)])
def test_the_share_of_the_library(tmp_path: Path, share: float, expected: bool):
    folder = str(library(tmp_path / "library"))
    settings = QuestionSettings(tasks=("WD",), both=0.0, library_share=share)
    found = [questions_on_spectrum(settings, 1, number, folder) for number in range(12)]
    of_wd = [each.from_library for each in found if each.examples[0].label == "WD"]
    assert of_wd and set(of_wd) == {expected}


@pytest.mark.parametrize(("even", "low", "high"), [(0.0, 0.0, 0.2), (1.0, 0.35, 0.8)])
def test_rare_kinds_may_come_as_often_as_common_ones(even: float, low: float, high: float):
    settings = QuestionSettings(tasks=("WD",), both=0.0, even=even)
    found = [questions_on_spectrum(settings, 1, number).examples[0] for number in range(120)]
    subtypes = [each.subtype for each in found if each.label == "WD"]
    assert len(subtypes) > 40
    rare = sum(kind in ("DBA", "DC", "DO", "DZ") for kind in subtypes) / len(subtypes)
    assert low <= rare <= high


def test_even_draws_leave_what_is_asked_as_it_was():
    """The same classes and surveys, and those that no task is about are the very same spectra."""
    plain, even = (
        [questions_on_spectrum(QuestionSettings(even=part), 5, number) for number in range(10)]
        for part in (0.0, 1.0)
    )
    for one, other in zip(plain, even, strict=True):
        first, second = one.examples[0], other.examples[0]
        assert (first.key, first.label) == (second.key, second.label)
        assert first.spectrum.survey == second.spectrum.survey
        if first.label not in QuestionSettings().tasks:
            assert first.sha256 == second.sha256
    assert any(one.examples[0].label not in QuestionSettings().tasks for one in plain)
