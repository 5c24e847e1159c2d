"""A good parallax gives a point with errors, a poor one a limit, a bad one nothing but words."""

import numpy as np
import pytest

from agent.tasks.catalogue import load_tasks
from app.services.catalogues.zero_point import zero_point
from app.services.hr_diagram.place import (
    COLOURS,
    COLUMNS,
    MAGNITUDES,
    ROWS,
    Kind,
    background,
    place_of,
    region_of,
)

STAR = {"parallax": 10.0, "parallax_error": 0.1, "g": 10.0, "bp_rp": 0.8, "ruwe": 1.0}


def test_a_parallax_is_a_point_a_limit_or_nothing():
    place = place_of(STAR)
    assert place.kind is Kind.POINT and place.m_g == pytest.approx(5.0)
    assert place.brightest < place.m_g < place.faintest
    assert place.faintest - place.m_g == pytest.approx(0.0216, abs=0.001)
    assert not place.has_high_ruwe
    place = place_of({**STAR, "parallax": 0.2, "parallax_error": 0.1})
    assert place.kind is Kind.LIMIT and place.m_g == pytest.approx(10.0 + 5.0 * -2.398, abs=0.01)
    assert place.ratio == pytest.approx(2.0)
    assert place_of({**STAR, "parallax": -0.1, "parallax_error": 0.1}).kind is Kind.LIMIT
    assert place_of({**STAR, "parallax": -0.3, "parallax_error": 0.1}).kind is Kind.NEGATIVE
    assert place_of({**STAR, "bp_rp": None}).kind is Kind.NO_COLOUR
    assert place_of({**STAR, "ruwe": 2.3}).has_high_ruwe


def test_the_zero_point_of_the_parallax_is_taken_off():
    """By hand, at magnitudes of the tables."""
    values = {"g": 20.0, "nu_eff": 1.72, "ecl_lat": 90.0}
    blue = -12.65 - 4.57 - 7.46 * 2.0 / 3.0 + 97.9 * 0.24
    assert zero_point(values) == pytest.approx(1e-3 * blue)
    six = -18.99 - 1.93 + 15.90 * 2 / 3 - 0.1 * (-57.2 - 8.0 + 19.9 * 2 / 3) - 554 * 0.1**3
    found = zero_point({"g": 12.9, "pseudocolour": 1.38, "ecl_lat": 90.0})
    assert found == pytest.approx(1e-3 * six)
    for unknown in ({"g": 22.0}, {"nu_eff": 2.5}, {"nu_eff": None}, {"ecl_lat": None}):
        assert zero_point(values | unknown) is None
    assert place_of(STAR | {"zero_point": -0.04}).m_g == pytest.approx(10 + 5 * np.log10(0.1004))


@pytest.mark.parametrize("missing", ["parallax", "parallax_error", "g"])
def test_without_a_parallax_there_is_no_place(missing):
    assert place_of({**STAR, missing: None}).kind is Kind.NO_PARALLAX
    assert place_of({**STAR, missing: float("nan")}).kind is Kind.NO_PARALLAX


def at(bp_rp: float, m_g: float) -> float:
    row = int((m_g - MAGNITUDES[0]) / (MAGNITUDES[1] - MAGNITUDES[0]) * ROWS)
    column = int((bp_rp - COLOURS[0]) / (COLOURS[1] - COLOURS[0]) * COLUMNS)
    return float(background()[row, column])


def test_each_bundled_class_has_its_region():
    for task in load_tasks():
        region = region_of(task.id)
        if task.id == "LOOK":
            assert region is None
            continue
        assert region is not None and len(region.bp_rp) == len(region.m_g) >= 4 and region.source
    assert region_of("MY_CLASS") is None


def test_stars_lie_where_they_are_and_faint_is_below():
    assert at(0.82, 4.67) > 0.5 and at(0.13, 12.2) > 0.15
    assert at(1.2, 0.5) > 0.2
    assert at(3.5, 5.0) == 0.0 and at(-0.5, 3.0) == 0.0
    assert np.all(background()[0] == 0.0) and background().shape == (ROWS, COLUMNS)
