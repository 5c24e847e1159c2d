"""Descriptions of features: the right side of the border, with the value in its unit."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from agent.evidence.feature_numbers import BOTH, HOT_ONLY, feature_numbers
from agent.evidence.feature_words import feature_words, lines_of
from agent.evidence.features import CLEAR_STEP, FEATURES
from agent.evidence.line_words import LineWords
from agent.evidence.measurements import measurements_of
from agent.evidence.said_numbers import SaidNumbers
from agent.evidence.window_numbers import (
    CONTINUUM_GATES,
    MARKS,
    MAX_ENTRIES,
    OVERVIEW_FEATURES,
    WINDOW_FEATURES,
    mark_index,
    overview_entries,
    rest_window,
    window_entries,
    window_numbers,
)
from agent.spectra.measure.index_definitions import builtin_indices
from agent.tasks.catalogue import load_tasks
from tests.agent.evidence.simulated import numbers_of, simulated_spectrum


@pytest.mark.parametrize(("feature", "value", "middle", "text"), [
    ("EW_H_alpha", -12.34, 5.0, "Hα in emission (Hα -12.3 Å)"),
    ("EW_H_alpha", 3.0, 5.0, "Hα absorbed (Hα 3.0 Å)"),
    ("EW_H_alpha", -123.4, 5.0, "Hα in emission (Hα -123 Å)"),
    ("EW_CaII_K", 3.0, 5.0, "Ca II K weak (Ca II K 3.0 Å)"),
    ("EW_CaII_K", 7.0, 5.0, "Ca II K strong (Ca II K 7.0 Å)"),
    ("TiO5", 0.4, 0.6, "TiO bands (TiO5 0.40)"),
    ("C2_5165_edge", CLEAR_STEP / 2, 0.0, ""),
    ("C2_5165_edge", 0.3, 0.5, "C2 edge at 5167 (step at 5167 0.30)"),
    ("Balmer_em_fwhm", 1234.0, 0.0, "wide Balmer emission (narrower of Hα and Hβ 1234 km/s)"),
])  # fmt: skip
def test_a_value_is_described(feature, value, middle, text):
    assert FEATURES[feature].text(value, middle) == text


def test_a_value_has_its_error_with_the_same_digits():
    assert FEATURES["TiO5"].text(0.4, 0.6, 0.031) == "TiO bands (TiO5 0.40 ± 0.03)"
    assert FEATURES["TiO5"].text(0.4, 0.6, 0.001) == "TiO bands (TiO5 0.40)"
    assert FEATURES["EW_CaII_K"].text(3.0, 5.0, 0.24) == "Ca II K weak (Ca II K 3.0 ± 0.2 Å)"


def test_every_feature_has_a_label_is_measured_and_silent_without_a_value():
    assert all(name == feature.name and feature.label for name, feature in FEATURES.items())
    assert {feature.unit for feature in FEATURES.values()} == {"", "Å", "km/s"}
    measured = {"H_alpha_peak", "H_alpha_em_fwhm", "H_alpha_abs_fwhm", "bend"}
    measured |= {name.replace("alpha", "beta") for name in measured} | set(BOTH)
    assert set(FEATURES) <= measured | set(builtin_indices())
    assert set(FEATURES) >= HOT_ONLY
    for label in ("A", "MG", "CV"):
        assert set(FEATURES) <= set(feature_numbers(numbers_of(label)))
    assert all(not feature.text(math.nan, 0.0) for feature in FEATURES.values())


def test_lines_of_hot_stars_are_not_read_in_cool_ones():
    cool, hot = feature_numbers(numbers_of("K")), feature_numbers(numbers_of("A"))
    assert math.isnan(cool["H_gamma_D2"][0]) and 8 < hot["H_gamma_D2"][0] < 26
    assert math.isfinite(cool["TiO5"][0])


# A feature says of a line what the line's own measurement shows.
@pytest.fixture
def said() -> SaidNumbers:
    return SaidNumbers(numbers_of("CV"))


def test_a_feature_of_a_line_is_told_with_the_number_of_the_line(said: SaidNumbers):
    words = feature_words("EW_H_alpha", -999.0, 1.0, 0.0, said)
    row = said.lines["H_alpha"]
    assert isinstance(words, LineWords)
    assert words.text.startswith(f"Hα emission, EW {row['ew']:.1f} ± {row['ew_error']:.1f} Å")
    width = feature_words("H_alpha_em_fwhm", 900.0, 5.0, 0.0, said)
    assert isinstance(width, LineWords)
    assert width.text == words.text and width.remark == "wide"


def test_a_feature_that_the_line_contradicts_is_silent(said: SaidNumbers):
    assert feature_words("EW_H_alpha", 5.0, 1.0, 0.0, said) == ""
    assert feature_words("OIII_both", -2.0, 1.0, 0.0, said) == ""
    assert not said.lines


def test_an_emission_within_the_noise_of_an_index_is_not_told(said: SaidNumbers):
    assert feature_words("CIV_5805", -2.0, 1.0, 0.0, said) == ""
    told = "C IV 5805 in emission (C IV 5805 -4.0 ± 1.0 Å)"
    assert feature_words("CIV_5805", -4.0, 1.0, 0.0, said) == told
    assert said.values["C IV 5805"]["value"] == -4.0


def test_features_of_lines_are_known():
    assert lines_of("Balmer_both") == ("H_alpha", "H_beta")
    assert lines_of("TiO5") == () and lines_of("ZrO_6474") == () and lines_of("C2_both") == ()
    assert lines_of("HeII_4542") == ("HeII_4542",)
    assert all(isinstance(lines_of(name), tuple) for name in FEATURES)


# What is said beside a picture: the numbers of that window and of no other.
def told(line: str) -> dict[str, str]:
    """Name and value of each entry of a line, without the mark between them."""
    pieces = (entry.removesuffix(" km/s") for entry in line.split("; ")[1:])
    return {name: value for name, _, value in (entry.rsplit(" ", 2) for entry in pieces)}


def test_every_number_has_a_place_and_a_name():
    assert len(set(WINDOW_FEATURES)) == len(WINDOW_FEATURES)
    for feature in WINDOW_FEATURES:
        low, high = rest_window(feature)
        assert 3600 < low < high < 9000, feature
        assert FEATURES[feature].label


def test_emission_is_told_with_its_sign_and_width_inside_the_window_in_the_frame_of_the_pictures():
    numbers = numbers_of("CV")
    assert "Hβ" not in window_numbers(numbers, 6450, 6750)
    assert "Hα" not in window_numbers(numbers, 4550, 5050)
    assert "Hα" not in window_numbers(numbers, 6480, 6560)  # half of it
    # A range is cut in the frame that z moved; a line at its edge is in or out with it.
    assert "Hα" in window_numbers(numbers, 6552, 6800, z=0.0)
    assert "Hα" not in window_numbers(numbers, 6552, 6800, z=0.004)
    assert window_numbers(numbers, 20_000, 21_000) == "S/N 0"
    line = window_numbers(numbers, 6450, 6750)
    assert re.search(r"; Hα \(-+\) -\d+", line)
    assert re.search(r"; Hα FWHM \(\++\) \d+0 km/s", line)
    assert line.startswith("S/N ")


def test_bands_of_a_giant_and_of_a_dwarf_differ_in_their_numbers():
    seen = (window_numbers(numbers_of(label), 6650, 7150) for label in ("MG", "M_DWARF"))
    giant, dwarf = (float(told(each)["TiO excess over CaH"]) for each in seen)
    assert giant > dwarf + 0.05


def test_entries_follow_the_wavelength_and_stay_few():
    numbers = numbers_of("MG")
    for task in load_tasks():
        for window in task.windows:
            told = window_entries(numbers, *window.range)
            assert len(told) <= MAX_ENTRIES
            places = [rest_window(feature)[0] for feature in told]
            assert places == sorted(places)


def test_marks_rise_with_the_value():
    for feature in WINDOW_FEATURES:
        marks = [mark_index(feature, value) for value in (-1e5, *np.linspace(-300, 300, 2001), 1e5)]
        assert marks == sorted(marks)
        assert {0, len(MARKS) - 1} <= {*marks} or set(marks) == {len(MARKS) // 2}, feature


def test_what_noise_may_have_made_has_the_mark_of_nothing():
    """The same weak line with errors three times as large: as if it were not there."""
    clear = simulated_spectrum("CV")
    line = re.compile(r"He II 4686 (\([-=+]+\)) -1.7")
    marks = []
    for part in (1.0, 0.1):
        noisy = replace(clear, ivar=clear.ivar * part)
        found = line.search(window_numbers(measurements_of(noisy), 4600, 4760))
        marks.append(found[1])
    assert marks == ["(-)", MARKS[mark_index("EW_HeII_4686", 0.0)]] and marks[1] == "(=)"


@pytest.mark.parametrize("label", ["WD", "CV", "QSO", "K", "CS"])
def test_colours_are_told_of_smooth_continua(label: str):
    assert set(OVERVIEW_FEATURES) >= CONTINUUM_GATES
    assert {"bend", "colour_5400_6600"} <= set(overview_entries(numbers_of(label)))


@pytest.mark.parametrize("label", ["MG", "M_DWARF"])
def test_where_titanium_oxide_is_deep_the_bands_speak_for_themselves(label: str):
    told = overview_entries(numbers_of(label))
    assert "TiO5" in told and not CONTINUUM_GATES & set(told)


def test_a_band_that_noise_may_have_made_hides_no_colour():
    """The same giant with errors so large that its bands may be none: colours are told again."""
    clear = simulated_spectrum("MG")
    noisy = replace(clear, ivar=clear.ivar * 2e-3)
    assert {"bend", "colour_5400_6600"} <= set(overview_entries(measurements_of(noisy)))
