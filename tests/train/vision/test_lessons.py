from pathlib import Path

import numpy as np
import pytest

from agent.errors import WorkbenchError
from agent.evidence.window_numbers import WINDOW_FEATURES
from agent.rendering.style import EYE
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task
from tests.train.vision.conftest import SMALL
from train.questions.settings import QuestionSettings
from train.simulate.sky import LABELS
from train.simulate.source import GRID
from train.vision import conversations
from train.vision.conversations import questions
from train.vision.grades import (
    ASKED,
    PER_WINDOW,
    UNTOLD,
    WHOLE,
    all_phrases,
    asked_features,
    climate,
    feature_windows,
    grade_phrases,
    is_absence,
    is_unclear,
    kind_number,
    own_features,
    ranks,
    sure_phrase,
    sure_readings,
    told,
    told_features,
    unclear,
    value_of,
    within,
    words,
)
from train.vision.lessons import (
    SHIFTS,
    lesson,
    misplaced,
    read_lessons,
    simulated,
    write_shard_of_lessons,
)
from train.vision.settings import LessonSettings, SchoolSettings, SpeechSettings, read_tables

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


def test_a_change_without_a_table_belongs_to_the_command() -> None:
    tables = read_tables("school", ["batch=7", "lessons.windows=3", "speech.batch=5"])
    assert tables.read(SchoolSettings, "school").batch == 7
    assert tables.read(LessonSettings, "lessons").windows == 3
    assert tables.read(SpeechSettings, "speech").batch == 5


def test_changes_override_a_file_and_later_tables_override_earlier_ones(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text("[speech]\nbatch = 3\nheads = 2\n[rare_speech]\nbatch = 4\n")
    tables = read_tables("", ["speech.heads=4"], config=file)
    plain = tables.read(SpeechSettings, "speech")
    rare = tables.read(SpeechSettings, "speech", "rare_speech")
    assert (plain.batch, plain.heads) == (3, 4)
    assert (rare.batch, rare.heads) == (4, 4)
    assert tables.read(SchoolSettings, "school") == SchoolSettings()


@pytest.mark.parametrize(
    ("text", "why"),
    [("minutes=3", "name its table, such as school"), ("scool.minutes=3", 'did you mean "school"')],
)
def test_a_change_of_no_table_is_refused(text: str, why: str) -> None:
    with pytest.raises(WorkbenchError, match=why):
        read_tables("", [text])


def test_shards_give_back_what_was_written(lessons: list[Path]) -> None:
    read = read_lessons(lessons)
    first = lesson(0, SMALL, 5)
    assert np.array_equal(read.picture(0), first.pictures[0])
    assert read.ranges[0] == pytest.approx(first.ranges[0], rel=1e-6)
    assert read.targets[0] == pytest.approx(first.targets[0], abs=1e-3, nan_ok=True)
    assert sum(len(set(np.load(path)["spectra"].tolist())) for path in lessons) == SMALL.spectra
    assert len(read) == len(read.kinds) == len(read.targets)


def test_a_shard_that_is_there_is_kept(lessons: list[Path]) -> None:
    before = lessons[0].stat().st_mtime_ns
    assert write_shard_of_lessons(0, lessons[0].parent, SMALL, 5, "") == lessons[0]
    assert lessons[0].stat().st_mtime_ns == before


def test_a_file_that_is_no_shard_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lessons-00000.npz"
    path.write_bytes(b"PK not really")
    with pytest.raises(WorkbenchError, match=r"lessons-00000\.npz is no shard of lessons"):
        read_lessons([path])
    with pytest.raises(WorkbenchError, match="no lessons"):
        read_lessons([])


def test_every_asked_feature_has_a_place_in_the_spectrum() -> None:
    windows = feature_windows()
    assert len(asked_features()) == len(windows) > 60
    assert (windows[:, 0] < windows[:, 1]).all()
    assert 3000.0 < windows.min() < windows.max() < 11_000.0


def test_ranks_grow_with_the_value_and_stay_between_minus_one_and_one() -> None:
    index = asked_features().index("EW_H_alpha")
    said = []
    for width in (-500.0, -40.0, 0.0, 5.0, 400.0):
        values = np.full(len(asked_features()), np.nan)
        values[index] = width
        ranked = ranks(values)
        assert np.isfinite(ranked).sum() == 1
        said.append(ranked[index])
    assert said == sorted(said)
    assert said[0] == -1.0 and said[-1] == 1.0


def test_a_feature_is_asked_only_where_the_window_shows_it_whole() -> None:
    index = asked_features().index("EW_H_alpha")
    assert within((6400.0, 6700.0), 0.0)[index]
    assert not within((6400.0, 6560.0), 0.0)[index]
    # At 2,000 km/s the line is at 6608.
    assert not within((6400.0, 6590.0), 2000.0)[index]


@pytest.mark.parametrize(("label", "number"), [("CV", LABELS.index("CV")), ("OTHER", -1)])
def test_kinds_are_numbered_and_others_are_none(label: str, number: int) -> None:
    assert kind_number(label) == number


SEEN = sorted({*WHOLE, *(set(WINDOW_FEATURES) & set(asked_features()) - set(UNTOLD))})
EVERYTHING = (3600.0, 9200.0)
HALPHA = (6300.0, 6800.0)


def row(**values: float) -> np.ndarray:
    """Ranks of all quantities: those of these values, and of the middle for the others."""
    known = np.array([values.get(feature, np.nan) for feature in asked_features()])
    return np.nan_to_num(ranks(known), nan=0.0)


def say(task: str, window=HALPHA, before=(), unsure=(), *, label="Hα and He I 6678", **values):
    read = sure_readings(row(**values))
    for feature in unsure:
        read.above[asked_features().index(feature)] = 0.5
    return told(window, read, find_task(task), "neither", before, label=label)


@pytest.mark.parametrize("feature", SEEN)
def test_every_grade_has_its_words(feature: str) -> None:
    borders, said = words(feature)
    assert len(said) == len(borders) + 1
    assert list(borders) == sorted(borders)
    assert all(said) and len(set(said)) == len(said)


@pytest.mark.parametrize(
    ("feature", "value", "said"),
    [
        ("EW_H_alpha", -80.0, "Hα in strong emission"),
        ("EW_H_alpha", 0.2, "Hα not seen"),
        ("EW_H_alpha", 8.0, "Hα in clear absorption"),
        ("HeII_4542", 0.0, "He II 4542 not seen"),
        ("HeII_4542", 1.0, "He II 4542 in weak absorption"),
        ("CH_G4300", 0.0, "no G band"),
        ("CH_G4300", 7.0, "G band strong"),
        ("TiO5", 0.3, "TiO 7126 strong"),
        ("TiO5", 1.0, "no TiO 7126"),
        ("TiO5_excess", 0.0, "CaH strong for its TiO"),
        ("TiO5_excess", 0.3, "CaH weak for its TiO"),
        ("ZrO_6474_edge", 0.0, "no ZrO 6474"),
        ("Dn4000", 2.0, "4000 Å break strong"),
        ("H_beta_D2", 60.0, "Hβ absorption very broad"),
    ],
)
def test_words_follow_the_value(feature: str, value: float, said: str) -> None:
    read = sure_readings(row(**{feature: value}))
    assert sure_phrase(feature, read.above[asked_features().index(feature)]) == said
    assert is_absence(said) == said.startswith(("no ", "Hα not", "He II 4542 not"))


def test_a_value_and_its_rank_are_the_same_quantity() -> None:
    at = asked_features().index("EW_H_beta")
    assert value_of("EW_H_beta", float(row(EW_H_beta=5.0)[at])) == pytest.approx(5.0)


def test_a_width_is_told_with_its_line_alone() -> None:
    broad = {"H_alpha_em_fwhm": 2000.0}
    said = say("CV", EW_H_alpha=-40.0, **broad)
    order = [feature for feature in said if "H_alpha" in feature]
    assert order == ["EW_H_alpha", "H_alpha_em_fwhm"]
    assert "H_alpha_em_fwhm" not in say("CV", EW_H_alpha=6.0, **broad)
    again = say("CV", before={"EW_H_alpha"}, EW_H_alpha=-40.0, **broad)
    assert "EW_H_alpha" not in again and again["H_alpha_em_fwhm"] == "Hα emission very broad"


def test_the_own_quantities_of_a_task_come_first_and_nothing_twice() -> None:
    assert own_features(find_task("CV"))[:2] == ("EW_H_alpha", "H_alpha_em_fwhm")
    assert "ZrO_6474_edge" in own_features(find_task("SS"))
    said = say("SS", (6250.0, 6600.0), ZrO_6474_edge=0.25, ZrO_6345_edge=0.2)
    assert {"ZrO_6474_edge", "ZrO_6345_edge"} <= said.keys() and len(said) <= PER_WINDOW
    assert "ZrO_6474_edge" not in say("SS", (6250.0, 6600.0), before={"ZrO_6474_edge"})


def test_lines_between_bands_and_bands_of_hot_stars_are_not_told() -> None:
    cool = climate(row(TiO5=0.5, colour_4200_5400=0.3, Dn4000=1.8), EVERYTHING)
    hot = climate(row(TiO5=1.0, colour_4200_5400=1.6, Dn4000=0.95), EVERYTHING)
    sun = climate(row(TiO5=1.0, colour_4200_5400=0.8, Dn4000=1.5), EVERYTHING)
    assert (cool, hot, sun) == ("cool", "hot", "neither")
    blue, red = (4550.0, 5050.0), (6600.0, 7200.0)
    assert "EW_HeII_4686" in told_features(blue, find_task("CV"), "hot", is_whole=False)
    assert "EW_HeII_4686" not in told_features(blue, find_task("CV"), "cool", is_whole=False)
    assert "CaH2" in told_features(red, find_task("MG"), "cool", is_whole=False)
    assert "CaH2" not in told_features(red, find_task("WD"), "hot", is_whole=False)
    assert "TiO_7054_edge" in told_features(red, find_task("WD"), "hot", is_whole=False)  # its own


def test_nothing_is_told_that_the_picture_does_not_show() -> None:
    task = find_task("WD")
    assert told_features((5400.0, 5440.0), task, "neither", is_whole=False) == ()
    assert "TiO5" not in told_features((3700.0, 6000.0), task, "neither", is_whole=True)
    assert "TiO5" in told_features((3700.0, 9000.0), task, "neither", is_whole=True)
    # A break and a colour need both of the ranges that they compare.
    assert "Balmer_jump_3720" in told_features((3690.0, 4400.0), task, "hot", is_whole=False)
    assert "Balmer_jump_3720" not in told_features((3790.0, 4400.0), task, "hot", is_whole=False)
    assert "colour_6600_7500" not in told_features((3700.0, 7410.0), task, "hot", is_whole=True)


def test_weak_lines_are_not_told_of_the_whole_spectrum() -> None:
    assert "EW_H_alpha" in say("CV", EVERYTHING, label="", EW_H_alpha=-60.0)
    assert "EW_H_alpha" not in say("CV", EVERYTHING, label="", EW_H_alpha=-5.0)


def test_what_the_task_asks_for_is_answered_and_of_others_nothing_unsure_is_said() -> None:
    values = {"EW_H_alpha": -40.0, "EW_HeI_6678": -6.0, "EW_SII_6716": -9.0}
    sure = say("CV", **values)
    assert values.keys() <= sure.keys()
    unsure = say("CV", unsure=["EW_HeI_6678", "EW_SII_6716"], **values)
    assert "EW_H_alpha" in unsure and "EW_SII_6716" not in unsure
    assert unsure["EW_HeI_6678"] == "He I 6678 unclear"
    neither = say("CV", unsure=["EW_HeI_6678", "EW_H_alpha"], **values)
    assert neither["EW_H_alpha"] == "Hα unclear"
    assert "H_alpha_em_fwhm" not in neither


@pytest.mark.parametrize(
    ("above", "said"),
    [
        # Strong, clear or weak emission, nothing, weak, clear or strong absorption.
        ([0.05, 0.03, 0.02, 0.0, 0.0, 0.0], "in strong emission"),
        ([0.4, 0.05, 0.02, 0.0, 0.0, 0.0], "in clear or strong emission"),
        ([0.4, 0.3, 0.05, 0.0, 0.0, 0.0], "in emission"),
        ([1.0, 1.0, 0.97, 0.95, 0.5, 0.1], "in absorption"),
        ([1.0, 1.0, 0.97, 0.03, 0.0, 0.0], "not seen"),
        ([1.0, 0.97, 0.8, 0.2, 0.03, 0.0], "weak at most"),
        ([0.9, 0.8, 0.6, 0.4, 0.2, 0.1], None),
    ],
)
def test_as_much_is_said_as_is_sure(above: list[float], said: str | None) -> None:
    assert sure_phrase("EW_HeI_6678", np.array(above)) == (f"He I 6678 {said}" if said else "")


def test_what_is_there_is_told_before_what_is_not() -> None:
    blue = (4400.0, 5050.0)
    lines = {"EW_HeII_4686": -9.0, "EW_H_beta": -30.0, "EW_HeI_4471": -6.0, "EW_MgII_4481": 2.0,
             "EW_HeI_5015": -6.0, "HeII_4542": -3.0}  # fmt: skip
    said = say("CV", blue, EW_OIII_5007=0.0, EW_OIII_4959=0.0, **lines)
    assert {"EW_HeII_4686", "EW_H_beta"} <= said.keys() and len(said) <= PER_WINDOW
    assert sum(map(is_absence, said.values())) <= ASKED
    # Where nothing is there, what the task did not ask for is better than silence.
    assert say("SS", (5820.0, 5960.0), Na_D=0.0, EW_HeI_5876=0.0)


def test_no_star_absorbs_in_lines_of_thin_gas() -> None:
    said = words("EW_OIII_5007")[1]
    assert said[-1] == "[O III] 5007 not seen"
    assert not any("absorption" in each for each in said)


def test_no_g_band_beside_emission() -> None:
    blue = (4150.0, 4550.0)
    assert "CH_G4300" in say("A", blue, EW_H_gamma=3.0, CH_G4300=5.0)
    assert "CH_G4300" not in say("A", blue, EW_H_gamma=-8.0, CH_G4300=5.0)


def test_no_two_quantities_have_the_same_words() -> None:
    said = [each.text for feature in SEEN for each in grade_phrases(feature)]
    unsure = [text for text in map(unclear, SEEN) if text]
    assert len(all_phrases()) == len(said) + len(unsure)
    assert len(said) > 400


def test_every_statement_is_true_of_its_grades_alone() -> None:
    for feature in SEEN:
        last = len(words(feature)[0])
        for each in grade_phrases(feature):
            assert 0 <= each.first <= each.last <= last
            sure = [0.0 if at < each.first else 1.0 for at in range(last)]
            assert not is_absence(each.text) or not is_unclear(each.text)
            assert sure_phrase(feature, 1.0 - np.array(sure))
