"""A good parallax gives a point with errors, a poor one a limit, a bad one nothing but words."""

from __future__ import annotations

import pytest

from app.services.hr_diagram.place import Kind, place_of

STAR = {"parallax": 10.0, "parallax_error": 0.1, "g": 10.0, "bp_rp": 0.8, "ruwe": 1.0}


def test_a_good_parallax_is_a_point_with_errors_to_both_sides():
    place = place_of(STAR)
    assert place.kind is Kind.POINT and place.m_g == pytest.approx(5.0)
    assert place.brightest < place.m_g < place.faintest
    assert place.faintest - place.m_g == pytest.approx(0.0216, abs=0.001)
    assert not place.has_high_ruwe


def test_a_poor_parallax_is_a_limit_two_errors_off():
    place = place_of({**STAR, "parallax": 0.2, "parallax_error": 0.1})
    assert place.kind is Kind.LIMIT and place.m_g == pytest.approx(10.0 + 5.0 * -2.398, abs=0.01)
    assert place.ratio == pytest.approx(2.0)


def test_a_slightly_negative_parallax_is_a_limit_and_a_very_negative_one_nothing():
    assert place_of({**STAR, "parallax": -0.1, "parallax_error": 0.1}).kind is Kind.LIMIT
    assert place_of({**STAR, "parallax": -0.3, "parallax_error": 0.1}).kind is Kind.NEGATIVE


@pytest.mark.parametrize("missing", ["parallax", "parallax_error", "g"])
def test_without_a_parallax_there_is_no_place(missing):
    assert place_of({**STAR, missing: None}).kind is Kind.NO_PARALLAX
    assert place_of({**STAR, missing: float("nan")}).kind is Kind.NO_PARALLAX


def test_without_a_colour_there_is_none_either_and_a_high_ruwe_is_told():
    assert place_of({**STAR, "bp_rp": None}).kind is Kind.NO_COLOUR
    assert place_of({**STAR, "ruwe": 2.3}).has_high_ruwe
