"""What is said of a line: its state, its numbers, and what they mean."""

from __future__ import annotations

import pytest

from agent.evidence.line_words import LineWords, ew_text, line_text, merged


@pytest.mark.parametrize(
    ("row", "options", "text"),
    [
        (
            {"kind": "emission", "ew": -15.5, "ew_error": 0.5, "fwhm_kms": 354.0},
            {},
            "Hα emission, EW -15.5 ± 0.5 Å, FWHM 354 km/s",
        ),
        ({"kind": "emission", "ew": -15.5, "fwhm_kms": 0.0}, {}, "Hα emission, EW -15.5 Å"),
        ({"kind": "", "ew": 3.0, "ew_error": 0.5}, {}, "Hα absorption, EW 3.00 ± 0.50 Å"),
        ({"kind": "", "ew": 0.1, "ew_error": 0.5}, {}, "no Hα emission, EW 0.10 ± 0.50 Å"),
        ({"kind": "", "ew": -1.1, "ew_error": 0.5}, {}, "hint of Hα emission, EW -1.10 ± 0.50 Å"),
        (
            {"kind": "absorption", "ew": -1.1, "ew_error": 0.5, "fwhm_kms": 90.0},
            {},
            "Hα unclear, EW -1.10 ± 0.50 Å",
        ),
        (
            {"kind": "emission", "ew": -1.4, "ew_error": 0.5, "fwhm_kms": 90.0},
            {},
            "Hα unclear, EW -1.40 ± 0.50 Å",
        ),
        ({"kind": "", "ew": 1.4, "ew_error": 0.5}, {}, "no Hα emission, EW 1.40 ± 0.50 Å"),
    ],
)
def test_a_line_is_told_as_it_was_measured(row, options, text):
    assert line_text("H_alpha", row, "emission", **options) == text


def test_a_dip_is_no_forbidden_line():
    dip = {"name": "SII_6716", "kind": "", "ew": 0.77, "ew_error": 0.08}
    assert line_text("SII_6716", dip, "emission") == "no [S II] 6716 emission, EW 0.77 ± 0.08 Å"
    assert line_text("SII_6716", dip, "absorption").startswith("no [S II] 6716 absorption")
    bump = dip | {"kind": "emission", "ew": -0.77}
    assert line_text("SII_6716", bump, "emission") == "[S II] 6716 emission, EW -0.77 ± 0.08 Å"


def test_an_equivalent_width_has_as_many_digits_as_it_deserves():
    assert ew_text(-9.994, 0.2) == "-9.99 ± 0.20"
    assert ew_text(-0.004, 12.0) == "0.0 ± 12.0"
    assert ew_text(-0.001, None) == "0.00"


def test_what_is_said_of_one_line_is_said_once():
    parts = [LineWords("Hα emission"), "TiO", LineWords("Hα emission", "narrow"), LineWords("Hβ")]
    assert merged(parts) == ["Hα emission: narrow", "TiO", "Hβ"]
