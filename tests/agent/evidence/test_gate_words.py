"""A gate says of a line what the line's own measurement shows."""

from __future__ import annotations

import pytest

from agent.evidence.gate_words import gate_words, lines_of
from agent.evidence.gates import GATES
from agent.evidence.line_words import LineWords
from agent.evidence.measurements import measurements_of
from agent.evidence.said_numbers import SaidNumbers
from tests.agent.evidence.simulated import simulated_spectrum


@pytest.fixture
def said() -> SaidNumbers:
    return SaidNumbers(measurements_of(simulated_spectrum("CV")))


def test_a_gate_of_a_line_is_told_with_the_number_of_the_line(said: SaidNumbers):
    words = gate_words("EW_H_alpha", -999.0, 1.0, 0.0, said)
    row = said.lines["H_alpha"]
    assert isinstance(words, LineWords)
    assert words.text.startswith(f"Hα emission, EW {row['ew']:.1f} ± {row['ew_error']:.1f} Å")
    width = gate_words("H_alpha_em_fwhm", 900.0, 5.0, 0.0, said)
    assert isinstance(width, LineWords)
    assert width.text == words.text and width.remark == "wide"


def test_a_gate_that_the_line_contradicts_is_silent(said: SaidNumbers):
    assert gate_words("EW_H_alpha", 5.0, 1.0, 0.0, said) == ""
    assert gate_words("OIII_both", -2.0, 1.0, 0.0, said) == ""
    assert not said.lines


def test_an_emission_within_the_noise_of_an_index_is_not_told(said: SaidNumbers):
    assert gate_words("CIV_5805", -2.0, 1.0, 0.0, said) == ""
    assert (
        gate_words("CIV_5805", -4.0, 1.0, 0.0, said) == "C IV 5805 in emission (C IV 5805 -4.0 Å)"
    )
    assert said.values["C IV 5805"]["value"] == -4.0


def test_gates_of_lines_are_known():
    assert lines_of("Balmer_both") == ("H_alpha", "H_beta")
    assert lines_of("TiO5") == () and lines_of("ZrO_6474") == () and lines_of("C2_both") == ()
    assert lines_of("HeII_4542") == ("HeII_4542",)
    assert all(isinstance(lines_of(name), tuple) for name in GATES)
