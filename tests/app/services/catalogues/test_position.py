"""Positions and their motion."""

from __future__ import annotations

import math

import pytest

from app.services.catalogues.position import Position, separation_arcsec


def test_a_star_moves_with_its_proper_motion():
    star = Position(ra=269.452, dec=4.693, epoch=2016.0, pm_ra=-801.6, pm_dec=10362.4)
    moved = star.at(2000.0)
    assert separation_arcsec(star, moved) == pytest.approx(
        16 * math.hypot(0.8016, 10.3624), rel=1e-3
    )
    assert separation_arcsec(moved.at(2016.0), star) < 1e-3


def test_without_an_epoch_it_is_where_the_catalogue_has_it():
    assert Position(ra=1.0, dec=2.0, pm_ra=1e4).at(1999.0).ra == 1.0


def test_across_zero_hours_and_at_the_pole():
    a, b = Position(ra=359.9999, dec=0.0), Position(ra=0.0001, dec=0.0)
    assert separation_arcsec(a, b) == pytest.approx(0.72)
    assert separation_arcsec(Position(ra=0.0, dec=90.0), Position(ra=180.0, dec=90.0)) < 1e-6


@pytest.mark.parametrize("ra, dec", [(math.nan, 0.0), (0.0, math.inf), (0.0, 90.1)])
def test_what_is_no_position_is_refused(ra, dec):
    with pytest.raises(ValueError):
        Position(ra=ra, dec=dec)
