"""Descriptions of gates: the right side of the border, with the value in its unit."""

from __future__ import annotations

import math

import pytest

from agent.evidence.gates import CLEAR_STEP, GATES


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


def test_what_was_not_measured_has_no_description():
    assert all(not gate.text(math.nan, 0.0) for gate in GATES.values())


def test_every_gate_has_a_label_and_a_unique_name():
    assert all(name == gate.name and gate.label for name, gate in GATES.items())
    assert {gate.unit for gate in GATES.values()} == {"", "Å", "km/s"}
