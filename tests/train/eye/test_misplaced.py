from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from train.eye import conversations
from train.eye.conversations import questions
from train.eye.lessons import lesson
from train.eye.misplaced import SHIFTS, misplaced
from train.eye.settings import LessonSettings
from train.eye.targets import kind_number
from train.questions.settings import QuestionSettings


def _line_at(place: float) -> Spectrum:
    wavelength = np.linspace(4000.0, 9000.0, 5001)
    return Spectrum(
        wavelength=wavelength, flux=1.0 + np.exp(-0.5 * ((wavelength - place) / 5.0) ** 2)
    )


def test_lines_are_found_elsewhere_on_the_same_wavelengths():
    original = _line_at(6563.0)
    moves = []
    for seed in range(40):
        moved = misplaced(original, np.random.default_rng(seed))
        assert moved.wavelength.tolist() == original.wavelength.tolist()
        moves.append(float(moved.wavelength[np.argmax(moved.flux)]) - 6563.0)
    mirrored = original.wavelength[0] + original.wavelength[-1] - 2 * 6563.0
    shifts = [abs(move) for move in moves if abs(move - mirrored) > 1.5]
    assert 1 <= len(moves) - len(shifts) <= 15
    assert SHIFTS[0] - 1 <= min(shifts) and max(shifts) <= SHIFTS[1] + 1
    assert min(moves) < 0 < max(moves)


def test_the_truth_of_a_misplaced_star_is_what_its_pictures_show():
    whole = LessonSettings(misplaced=0.0, windows=0, real_share=0.0)
    moved = LessonSettings(misplaced=1.0, windows=0, real_share=0.0)
    differ = 0
    for number in range(0, 6):
        before, after = lesson(number, whole, 3), lesson(number, moved, 3)
        assert after.kind == kind_number("ARTEFACT")
        known = np.isfinite(before.targets) & np.isfinite(after.targets)
        differ += bool(np.abs(before.targets - after.targets)[known].max(initial=0.0) > 0.3)
    assert differ >= 4


def test_members_are_asked_once_more_with_their_fluxes_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def artefacts(share: float) -> tuple[int, int]:
        monkeypatch.setattr(conversations, "MISPLACED_SHARE", share)
        asked = [each for number in range(25) for each in questions(number, settings, 5, "")]
        members = sum(each.answer == "YES" and not each.is_blank for each in asked)
        return members, sum(each.label == "ARTEFACT" for each in asked)

    settings = QuestionSettings(noes=0.5)
    members, before = artefacts(0.0)
    _, after = artefacts(1.0)
    assert members > 5 and after - before >= members
