from __future__ import annotations

import numpy as np
import pytest

from agent.evidence.window_numbers import WINDOW_FEATURES
from agent.tasks.catalogue import find_task
from train.vision.grades import (
    ABSENCES,
    PER_WINDOW,
    UNTOLD,
    WHOLE,
    Readings,
    all_phrases,
    at_most,
    climate,
    is_absence,
    own_features,
    phrase,
    sure_phrase,
    told,
    told_features,
    value_of,
    words,
)
from train.vision.targets import asked_features, ranks

SEEN = sorted({*WHOLE, *(set(WINDOW_FEATURES) & set(asked_features()) - set(UNTOLD))})
EVERYTHING = (3600.0, 9200.0)
HALPHA = (6300.0, 6800.0)


def row(**values: float) -> np.ndarray:
    """Ranks of all quantities: those of these values, and of the middle for the others."""
    known = np.array([values.get(feature, np.nan) for feature in asked_features()])
    return np.nan_to_num(ranks(known), nan=0.0)


def say(task: str, window=HALPHA, before=(), unsure=(), *, is_whole=False, **values):
    errors = [1.0 if feature in unsure else 0.05 for feature in asked_features()]
    read = Readings(row(**values), np.array(errors))
    return told(window, read, find_task(task), "neither", before, is_whole=is_whole)


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
        ("EW_H_alpha", 8.0, "Hα in absorption"),
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
    assert phrase(feature, value) == said
    assert is_absence(said) == said.startswith(("no ", "Hα not", "He II 4542 not"))
    assert not is_absence(said) or is_absence(at_most(said))


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
    said = say("SS", (6250.0, 6600.0))
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
    assert "EW_H_alpha" in say("CV", EVERYTHING, is_whole=True, EW_H_alpha=-60.0)
    assert "EW_H_alpha" not in say("CV", EVERYTHING, is_whole=True, EW_H_alpha=-5.0)


def test_of_what_the_eye_is_unsure_it_says_nothing() -> None:
    values = {"EW_H_alpha": -40.0, "EW_HeI_6678": -6.0}
    sure = say("CV", **values)
    assert {"EW_H_alpha", "EW_HeI_6678"} <= sure.keys()
    unsure = say("CV", unsure=["EW_HeI_6678"], **values)
    assert "EW_H_alpha" in unsure and "EW_HeI_6678" not in unsure
    neither = say("CV", unsure=["EW_HeI_6678", "EW_H_alpha"], **values)
    assert not neither.keys() & {"EW_H_alpha", "H_alpha_em_fwhm"}  # nor is its width told


@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        (0.0, 0.01, "He I 6678 not seen"),
        (0.0, 0.2, "He I 6678 weak at most"),  # weak emission or absorption may be there
        (0.0, 0.6, ""),
        (-30.0, 0.2, "He I 6678 in strong emission"),
    ],
)
def test_what_may_be_there_is_not_called_absent(value: float, error: float, said: str) -> None:
    rank = float(row(EW_HeI_6678=value)[asked_features().index("EW_HeI_6678")])
    assert sure_phrase("EW_HeI_6678", rank, error) == said


def test_what_is_there_is_told_before_what_is_not() -> None:
    blue = (4400.0, 5050.0)
    lines = {"EW_HeII_4686": -9.0, "EW_H_beta": -30.0, "EW_HeI_4471": -6.0, "EW_MgII_4481": 2.0,
             "EW_HeI_5015": -6.0, "HeII_4542": -3.0}  # fmt: skip
    said = say("CV", blue, EW_OIII_5007=0.0, EW_OIII_4959=0.0, **lines)
    assert {"EW_HeII_4686", "EW_H_beta"} <= said.keys() and len(said) <= PER_WINDOW
    assert sum(map(is_absence, said.values())) <= ABSENCES
    # Where nothing is there, what the task did not ask for is better than silence.
    assert say("SS", (5820.0, 5960.0), Na_D=0.0, EW_HeI_5876=0.0)


def test_no_star_absorbs_in_lines_of_thin_gas() -> None:
    assert phrase("EW_OIII_5007", 4.0) == phrase("EW_OIII_5007", 0.0) == "[O III] 5007 not seen"
    assert phrase("EW_OIII_5007", -9.0) == "[O III] 5007 in strong emission"


def test_no_g_band_beside_emission() -> None:
    blue = (4150.0, 4550.0)
    assert "CH_G4300" in say("A", blue, EW_H_gamma=3.0, CH_G4300=5.0)
    assert "CH_G4300" not in say("A", blue, EW_H_gamma=-8.0, CH_G4300=5.0)


def test_no_two_quantities_have_the_same_words() -> None:
    said = [each for feature in SEEN for each in words(feature)[1]]
    at_most_phrases = {at_most(each) for each in said if is_absence(each)}
    assert not at_most_phrases & set(said)
    assert len(said) == len(set(said)) == len(all_phrases() - at_most_phrases)
    assert len(said) > 200
