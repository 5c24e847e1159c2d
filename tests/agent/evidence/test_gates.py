"""Descriptions of gates: the right side of the border, with the value in its unit."""

import math

import pytest

from agent.evidence.gate_numbers import BOTH, HOT_ONLY, gate_numbers
from agent.evidence.gate_words import gate_words, lines_of
from agent.evidence.gates import CLEAR_STEP, GATES
from agent.evidence.line_words import LineWords
from agent.evidence.measurements import SpectrumMeasurements, measurements_of
from agent.evidence.said_numbers import SaidNumbers
from agent.spectra.measure.index_definitions import builtin_indices
from tests.agent.evidence.simulated import simulated_spectrum


@pytest.mark.parametrize(
    ("gate", "value", "middle", "text"),
    [
        ("EW_H_alpha", -12.34, 5.0, "Hα in emission (Hα -12.3 Å)"),
        ("EW_H_alpha", 3.0, 5.0, "Hα absorbed (Hα 3.0 Å)"),
        ("EW_H_alpha", -123.4, 5.0, "Hα in emission (Hα -123 Å)"),
        ("EW_CaII_K", 3.0, 5.0, "Ca II K weak (Ca II K 3.0 Å)"),
        ("EW_CaII_K", 7.0, 5.0, "Ca II K strong (Ca II K 7.0 Å)"),
        ("TiO5", 0.4, 0.6, "TiO bands (TiO5 0.40)"),
        ("C2_5165_edge", CLEAR_STEP / 2, 0.0, ""),
        ("C2_5165_edge", 0.3, 0.5, "C2 edge at 5167 (step at 5167 0.30)"),
        ("Balmer_em_fwhm", 1234.0, 0.0, "wide Balmer emission (narrower of Hα and Hβ 1234 km/s)"),
    ],
)
def test_a_value_is_described(gate, value, middle, text):
    assert GATES[gate].text(value, middle) == text


def test_every_gate_has_a_label_is_measured_and_silent_without_a_value():
    assert all(name == gate.name and gate.label for name, gate in GATES.items())
    assert {gate.unit for gate in GATES.values()} == {"", "Å", "km/s"}
    measured = {"H_alpha_peak", "H_alpha_em_fwhm", "H_alpha_abs_fwhm", "bend"}
    measured |= {name.replace("alpha", "beta") for name in measured} | set(BOTH)
    assert set(GATES) <= measured | set(builtin_indices())
    assert set(GATES) >= HOT_ONLY
    for label in ("A", "MG", "CV"):
        assert set(GATES) <= set(gate_numbers(SpectrumMeasurements(simulated_spectrum(label))))
    assert all(not gate.text(math.nan, 0.0) for gate in GATES.values())


def test_lines_of_hot_stars_are_not_read_in_cool_ones():
    cool, hot = (
        gate_numbers(SpectrumMeasurements(simulated_spectrum(label))) for label in ("K", "A")
    )
    assert math.isnan(cool["H_gamma_D2"][0]) and 8 < hot["H_gamma_D2"][0] < 26
    assert math.isfinite(cool["TiO5"][0])


# A gate says of a line what the line's own measurement shows.
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
