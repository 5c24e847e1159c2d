"""What is said beside a picture: the numbers of that window and of no other."""

import re
from dataclasses import replace

import numpy as np
import pytest

from agent.evidence.gates import GATES
from agent.evidence.measurements import SpectrumMeasurements, measurements_of
from agent.evidence.window_numbers import (
    CONTINUUM_GATES,
    MARKS,
    MAX_ENTRIES,
    OVERVIEW_GATES,
    WINDOW_GATES,
    mark_index,
    overview_entries,
    rest_window,
    window_entries,
    window_numbers,
)
from agent.tasks.catalogue import load_tasks
from tests.agent.evidence.simulated import simulated_spectrum


def told(line: str) -> dict[str, str]:
    """Name and value of each entry of a line, without the mark between them."""
    pieces = (entry.removesuffix(" km/s") for entry in line.split("; ")[1:])
    return {name: value for name, _, value in (entry.rsplit(" ", 2) for entry in pieces)}


def test_every_number_has_a_place_and_a_name():
    assert len(set(WINDOW_GATES)) == len(WINDOW_GATES)
    for gate in WINDOW_GATES:
        low, high = rest_window(gate)
        assert 3600 < low < high < 9000, gate
        assert GATES[gate].label


def test_emission_is_told_with_its_sign_and_width_inside_the_window_in_the_frame_of_the_pictures():
    numbers = SpectrumMeasurements(simulated_spectrum("CV"))
    assert "Hβ" not in window_numbers(numbers, 6450, 6750)
    assert "Hα" not in window_numbers(numbers, 4550, 5050)
    assert "Hα" not in window_numbers(numbers, 6480, 6560)  # half of it
    # A range is cut in the frame that z moved; a line at its edge is in or out with it.
    assert "Hα" in window_numbers(numbers, 6552, 6800, z=0.0)
    assert "Hα" not in window_numbers(numbers, 6552, 6800, z=0.004)
    assert window_numbers(SpectrumMeasurements(simulated_spectrum("CV")), 20_000, 21_000) == "S/N 0"
    line = window_numbers(SpectrumMeasurements(simulated_spectrum("CV")), 6450, 6750)
    assert re.search(r"; Hα \(-+\) -\d+", line)
    assert re.search(r"; Hα FWHM \(\++\) \d+0 km/s", line)
    assert line.startswith("S/N ")


def test_bands_of_a_giant_and_of_a_dwarf_differ_in_their_numbers():
    values = {}
    for label in ("MG", "M_DWARF"):
        line = window_numbers(SpectrumMeasurements(simulated_spectrum(label)), 6650, 7150)
        values[label] = float(told(line)["TiO excess over CaH"])
    assert values["MG"] > values["M_DWARF"] + 0.05


def test_entries_follow_the_wavelength_and_stay_few():
    numbers = SpectrumMeasurements(simulated_spectrum("MG"))
    for task in load_tasks():
        for window in task.windows:
            told = window_entries(numbers, *window.range)
            assert len(told) <= MAX_ENTRIES
            places = [rest_window(gate)[0] for gate in told]
            assert places == sorted(places)


def test_marks_rise_with_the_value():
    for gate in WINDOW_GATES:
        marks = [mark_index(gate, value) for value in (-1e5, *np.linspace(-300, 300, 2001), 1e5)]
        assert marks == sorted(marks)
        assert {0, len(MARKS) - 1} <= {*marks} or set(marks) == {len(MARKS) // 2}, gate


def test_what_noise_may_have_made_has_the_mark_of_nothing():
    """The same weak line with errors three times as large: as if it were not there."""
    clear = simulated_spectrum("CV")
    line = re.compile(r"He II 4686 (\([-=+]+\)) -1.7")
    marks = []
    for part in (1.0, 0.1):
        noisy = replace(clear, ivar=clear.ivar * part)
        found = line.search(window_numbers(measurements_of(noisy), 4600, 4760))
        assert found is not None
        marks.append(found[1])
    assert marks == ["(-)", MARKS[mark_index("EW_HeII_4686", 0.0)]] and marks[1] == "(=)"


@pytest.mark.parametrize("label", ["WD", "CV", "QSO", "K", "CS"])
def test_colours_are_told_of_smooth_continua(label: str):
    assert set(OVERVIEW_GATES) >= CONTINUUM_GATES
    assert {"bend", "colour_5400_6600"} <= set(
        overview_entries(SpectrumMeasurements(simulated_spectrum(label)))
    )


@pytest.mark.parametrize("label", ["MG", "M_DWARF"])
def test_where_titanium_oxide_is_deep_the_bands_speak_for_themselves(label: str):
    told = overview_entries(SpectrumMeasurements(simulated_spectrum(label)))
    assert "TiO5" in told and not CONTINUUM_GATES & set(told)


def test_a_band_that_noise_may_have_made_hides_no_colour():
    """The same giant with errors so large that its bands may be none: colours are told again."""
    clear = simulated_spectrum("MG")
    noisy = replace(clear, ivar=clear.ivar * 2e-3)
    assert {"bend", "colour_5400_6600"} <= set(overview_entries(measurements_of(noisy)))
