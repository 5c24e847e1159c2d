from __future__ import annotations

import numpy as np
import pytest

from agent.evidence.window_numbers import WINDOW_GATES
from train.eye.grades import GRADES, WHOLE, all_phrases, grade, phrases, told, told_gates
from train.eye.targets import asked_gates, ranks

SEEN = sorted({*WHOLE, *WINDOW_GATES} & set(asked_gates()))


def row(**known: float) -> np.ndarray:
    """Ranks of all quantities, in the middle unless given."""
    return np.array([known.get(gate, 0.0) for gate in asked_gates()])


def test_grades_are_equal_parts_of_the_ranks() -> None:
    assert [grade(rank) for rank in (-1.0, -0.9, -0.5, 0.0, 0.5, 0.9, 1.0)] == [0, 0, 1, 3, 5, 6, 6]


@pytest.mark.parametrize("gate", SEEN)
def test_every_grade_has_its_words(gate: str) -> None:
    said = phrases(gate)
    assert len(said) == (4 if gate.endswith("_edge") else GRADES)
    assert all(said)


def test_the_words_of_a_line_follow_its_sign() -> None:
    values = np.full(len(asked_gates()), np.nan)
    line = asked_gates().index("EW_H_alpha")
    for width, words in ((-80.0, "emission"), (8.0, "absorption")):
        values[line] = width
        rank = float(ranks(values)[line])
        assert told((6300.0, 6800.0), row(EW_H_alpha=rank), is_whole=False)["EW_H_alpha"].endswith(
            words
        )


def test_a_width_is_told_only_of_an_emission_line() -> None:
    window = (6300.0, 6800.0)
    assert "H_alpha_em_fwhm" in told(window, row(EW_H_alpha=-1.0), is_whole=False)
    assert "H_alpha_em_fwhm" not in told(window, row(EW_H_alpha=0.9), is_whole=False)


def test_nothing_is_told_that_the_picture_does_not_show() -> None:
    assert told_gates((5400.0, 5440.0), is_whole=False) == ()
    assert "TiO5" not in told_gates((3700.0, 6000.0), is_whole=True)
    assert "TiO5" in told_gates((3700.0, 9000.0), is_whole=True)


def test_no_two_quantities_of_one_window_have_the_same_words() -> None:
    for low in range(3600, 9000, 100):
        gates = told_gates((low, low + 700.0), is_whole=False)
        said = [phrase for gate in gates for phrase in set(phrases(gate))]
        assert len(said) == len(set(said)), (low, gates)
    assert len(all_phrases()) > 300
