"""What is said of a spectrum, and the reasons that are given for the verdict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from agent.tasks.catalogue import find_task
from tests.train.vision.test_grades import row
from train.vision.conversations import Look, Question, turns
from train.vision.grades import Readings, is_absence
from train.vision.reasons import FAMILIES, KINDS_SAID, REASONS, fitting_kind

LOOKS = (
    Look((6400, 6800), "Hα and He I 6678"),
    Look((4550, 5050), "He II 4686, Hβ, [O III]"),
    Look((6250, 6600), "ZrO 6474 and Ba II 6497"),
)
CV = {
    "EW_H_alpha": -60.0, "H_alpha_em_fwhm": 1900.0, "EW_H_beta": -30.0, "H_beta_em_fwhm": 2000.0,
    "EW_HeII_4686": -9.0, "EW_HeI_6678": -6.0, "colour_4200_5400": 1.6, "colour_6600_7500": 1.2,
    "Dn4000": 1.0, "TiO5": 1.0,
}  # fmt: skip
S_STAR = {
    "TiO5": 0.6, "colour_4200_5400": 0.2, "colour_6600_7500": 0.4, "Dn4000": 2.0,
    "ZrO_6474_edge": 0.25, "ZrO_6345_edge": 0.2, "EW_BaII_6497": 1.2, "EW_HeI_6678": -3.0,
}  # fmt: skip


def read(**values: float) -> Readings:
    ranks = np.tile(row(**values), (len(LOOKS) + 1, 1))
    return Readings(ranks, np.full(ranks.shape, 0.05))


def asked(task: str, label: str) -> Question:
    ranges = [(3600.0, 9200.0), *(look.range for look in LOOKS)]
    return Question(
        task=task, answer="YES" if task == label else "NO", label=label, looks=LOOKS,
        pictures=np.zeros((len(ranges), 0, 0), np.uint8), ranges=np.array(ranges, np.float64),
    )  # fmt: skip


def reasons(answer: str) -> list[str]:
    return answer.split(": ", 1)[1].removesuffix(".</answer>").split("; ")


@pytest.mark.parametrize(
    ("task", "label", "values"), [("CV", "CV", CV), ("WD", "CV", CV), ("SS", "SS", S_STAR)]
)
def test_reasons_were_said_before_and_are_no_list_of_absences(
    task: str, label: str, values: dict[str, float]
) -> None:
    *thoughts, answer = [
        turn.text for turn in turns(asked(task, label), read(**values)) if turn.role == "assistant"
    ]
    given = reasons(answer)
    said = "; ".join([*thoughts, answer.split("</think>")[0]])
    assert 1 <= len(given) <= REASONS
    assert all(each in said for each in given)
    assert sum(map(is_absence, given)) <= 1
    assert sum(" to " in each for each in given) <= 1
    telling = ("Hα", "Hβ", "He II 4686") if label == "CV" else ("ZrO",)
    assert any(each.startswith(telling) for each in given)


def test_nothing_is_said_twice_and_no_helium_between_bands() -> None:
    texts = [turn.text for turn in turns(asked("SS", "SS"), read(**S_STAR))]
    thoughts = [text.split("</think>")[0] for text in texts if "<think>" in text]
    said = [part for text in thoughts for part in text.removeprefix("<think>").split("; ")]
    assert not any(part.startswith(("He I", "He II")) for part in said)
    assert sum("ZrO 6474" in part and "Look at" not in part for part in said) == 1


def test_the_answer_names_the_kind() -> None:
    found = turns(asked("WD", "CV"), read(**CV))[-1].text
    assert "\\boxed{NO} More like a cataclysmic variable: " in found
    assert find_task("WD").question in turns(asked("WD", "CV"), read(**CV))[1].text


def test_a_no_says_what_the_class_lacks() -> None:
    values = CV | {"EW_HeII_4686": 0.0, "EW_H_alpha": 8.0, "EW_H_beta": 8.0, "EW_HeI_6678": 0.0}
    given = reasons(turns(asked("CV", "A"), read(**values))[-1].text)
    assert any(each.startswith(("Hα in absorption", "Hβ in absorption")) for each in given)


def test_what_was_not_seen_is_no_reason_for_a_class_that_has_it() -> None:
    values = {"HeII_4542": 0.0, "colour_4200_5400": 1.9, "Dn4000": 0.95, "TiO5": 1.0}
    looks = (Look((4280, 4680), "He I 4471 and He II 4542"),) * 3
    ranges = np.array([(3600.0, 9200.0), *[(4280.0, 4680.0)] * 3])
    question = replace(asked("O", "O"), looks=looks, ranges=ranges)
    texts = [turn.text for turn in turns(question, read(**values))]
    assert "He II 4542 not seen" in "".join(texts)
    assert "He II 4542 not seen" not in texts[-1].split("</think>")[1]


def test_signs_of_a_member_need_no_colour_beside_them() -> None:
    given = reasons(turns(asked("CV", "CV"), read(**CV))[-1].text)
    assert not any(" to " in each or is_absence(each) for each in given)
    assert sum("emission" in each for each in given) >= 2


def test_a_kind_is_not_named_after_the_signs_of_another() -> None:
    task, giant = find_task("CV"), {"TiO5": 0.4, "TiO5_excess": 0.25, "CaH1": 1.0, "CaT": 9.0}
    signs = read(**giant, colour_4200_5400=0.2, Dn4000=1.9, NaI_8190=0.2)
    said = [{"TiO5": "TiO 7126 strong", "TiO5_excess": "CaH weak for its TiO"}, {"CaH1": "no CaH"}]
    assert fitting_kind("MG", task, said, signs) == "an M giant"
    assert fitting_kind("M_DWARF", task, said, signs) == "a cool star"
    assert fitting_kind("O", task, said, signs) == "another kind of object"
    assert fitting_kind("O", task, [{}, {}], signs) == "an O star"  # nothing is against it
    assert {*FAMILIES, "an O star", "another kind of object"} <= set(KINDS_SAID)
