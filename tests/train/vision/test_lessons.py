from __future__ import annotations

import numpy as np
import pytest

from agent.rendering.style import EYE
from agent.spectra.spectrum import Spectrum
from train.questions.settings import QuestionSettings
from train.simulate.sky import LABELS
from train.simulate.source import GRID
from train.vision import conversations
from train.vision.conversations import questions
from train.vision.lessons import SHIFTS, lesson, misplaced, simulated
from train.vision.settings import LessonSettings
from train.vision.targets import asked_features, kind_number

SETTINGS = LessonSettings(windows=3, snr=(20.0, 40.0))


def test_the_same_number_and_seed_give_the_same_lesson() -> None:
    first, again = lesson(3, SETTINGS, 7), lesson(3, SETTINGS, 7)
    assert np.array_equal(first.pictures, again.pictures)
    assert np.array_equal(first.targets, again.targets, equal_nan=True)
    assert not np.array_equal(first.pictures[0], lesson(3, SETTINGS, 8).pictures[0])


def test_a_lesson_has_the_whole_spectrum_first_and_then_windows_within_it() -> None:
    one = lesson(LABELS.index("A"), SETTINGS, 1)
    assert one.label == "A"
    assert one.pictures.shape[1:] == (EYE.height, EYE.width)
    low, high = one.ranges[0]
    assert (one.ranges[1:, 0] >= low).all() and (one.ranges[1:, 1] <= high).all()
    assert np.isfinite(one.targets[0]).sum() > np.isfinite(one.targets[1:]).sum(axis=1).max()


def test_the_range_shown_is_what_the_simulator_knows() -> None:
    assert EYE.bluest == round(float(GRID[0]) + 10.0)
    assert EYE.reddest == round(float(GRID[-1]) - 10.0)


def test_pictures_hold_ink() -> None:
    one = lesson(LABELS.index("MG"), SETTINGS, 2)
    dark = (one.pictures < 128).mean(axis=(1, 2))
    assert (dark > 0.005).all() and (dark < 0.5).all()


@pytest.mark.parametrize(
    ("label", "feature", "sign"),
    [("CV", "EW_H_alpha", -1), ("A", "EW_H_beta", 1), ("MG", "TiO5", -1)],
)
def test_the_truth_is_that_of_the_kind(label: str, feature: str, sign: int) -> None:
    index = asked_features().index(feature)
    numbers = range(LABELS.index(label), 8 * len(LABELS), len(LABELS))
    found = [lesson(number, LessonSettings(windows=0), 4).targets[0, index] for number in numbers]
    assert sign * float(np.nanmedian(found)) > 0.2


def test_noise_changes_the_picture_and_not_the_truth() -> None:
    loud = lesson(LABELS.index("F"), LessonSettings(windows=0, snr=(5.0, 5.0)), 3)
    quiet = lesson(LABELS.index("F"), LessonSettings(windows=0, snr=(90.0, 90.0)), 3)
    assert not np.array_equal(loud.pictures[0], quiet.pictures[0])
    difference = np.abs(loud.targets[0] - quiet.targets[0])
    assert float(np.nanmedian(difference)) < 0.02


def test_galaxies_are_asked_for_their_kind_alone() -> None:
    one = lesson(LABELS.index("QSO"), SETTINGS, 1)
    assert one.kind == LABELS.index("QSO")
    assert not np.isfinite(one.targets).any()


def test_simulated_spectra_of_a_kind() -> None:
    spectrum = simulated("WD", SETTINGS, np.random.default_rng(1))
    assert np.isfinite(spectrum.flux).sum() > 500


def _line_at(place: float) -> Spectrum:
    wavelength = np.linspace(4000.0, 9000.0, 5001)
    line = np.exp(-0.5 * ((wavelength - place) / 5.0) ** 2)
    return Spectrum(wavelength=wavelength, flux=1.0 + line)


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


def test_members_are_asked_once_more_with_their_fluxes_elsewhere(monkeypatch) -> None:
    def artefacts(share: float) -> tuple[int, int]:
        monkeypatch.setattr(conversations, "MISPLACED_SHARE", share)
        asked = [each for number in range(25) for each in questions(number, settings, 5, "")]
        members = sum(each.answer == "YES" and not each.is_blank for each in asked)
        return members, sum(each.label == "ARTEFACT" for each in asked)

    settings = QuestionSettings(noes=0.5)
    members, before = artefacts(0.0)
    _, after = artefacts(1.0)
    assert members > 5 and after - before >= members
