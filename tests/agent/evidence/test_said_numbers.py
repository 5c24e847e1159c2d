"""The rows of what was said: each once, rounded as stored, added to what a look lists."""

from __future__ import annotations

import pytest

from agent.evidence.measurements import measurements_of
from agent.evidence.said_numbers import SaidNumbers, strength_state
from agent.spectra.measure.zoom_measurements import zoom_numbers
from tests.agent.evidence.simulated import simulated_spectrum


def test_a_line_has_the_row_of_the_table_of_its_window():
    spectrum = simulated_spectrum("CV")
    numbers = measurements_of(spectrum)
    table = zoom_numbers(spectrum, 6450.0, 6750.0, None, numbers.velocity_kms)
    said = SaidNumbers(numbers)
    assert said.line("H_alpha") in table["lines"]
    said.line("SII_6716")
    said.value("TiO5", 0.1234567, 0.012345)
    whole = said.table(table)
    names = [row["name"] for row in whole["lines"]]
    assert names.count("H_alpha") == 1 and "SII_6716" in names
    assert whole["values"] == [{"name": "TiO5", "value": 0.123457, "error": 0.0123}]
    assert said.without(whole).table() == {}
    assert "SII_6716" not in [row["name"] for row in table["lines"]]


@pytest.mark.parametrize(
    ("row", "state"),
    [
        ({}, ""),
        ({"kind": "emission", "ew": -9.0, "ew_error": 3.0}, "emission"),
        ({"kind": "emission", "ew": -1.0, "ew_error": 3.0}, "unclear"),
        ({"name": "OIII_5007", "kind": "", "ew": 9.0, "ew_error": 1.0}, ""),
        ({"name": "OIII_5007", "kind": "emission", "ew": -9.0, "ew_error": 1.0}, "emission"),
        ({"kind": "emission", "ew": 1.0, "ew_error": 3.0}, "unclear"),
        ({"kind": "", "ew": 1.0, "ew_error": 0.5}, ""),
        ({"kind": "", "ew": -1.0, "ew_error": 0.2}, "emission"),
    ],
)
def test_the_state_of_a_line(row, state):
    assert strength_state(row) == state
