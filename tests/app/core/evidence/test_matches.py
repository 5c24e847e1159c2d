"""Matches as the session keeps them: what is written can be read, and a stranger's is checked."""

from __future__ import annotations

import json

import pytest

from app.core.errors import SessionError
from app.core.evidence.matches import MAX_TEXT, matches_from, matches_text
from app.services.catalogues.answer import Match


def match(apart, **values):
    return Match(values=values, separation_arcsec=apart)


def test_what_is_written_is_read():
    given = (match(0.1, g=12.5, name="α Cen", n=2**62, nothing=None), match(0.5, g=None))
    assert matches_from(matches_text(given)) == given


@pytest.mark.parametrize("value", ["x", "\x01"])
def test_of_too_many_the_nearest_are_kept(value):
    """A server may send a thousand objects at one place, each with long texts."""
    texts = {f"column_{number}": value * 2000 for number in range(10)}
    text = matches_text([match(0.001 * number, **texts) for number in range(3000)])
    found = matches_from(text)
    assert len(text) <= MAX_TEXT and 5 < len(found) < 1000
    assert [each.separation_arcsec for each in found] == [0.001 * n for n in range(len(found))]


@pytest.mark.parametrize("value", [10**400, -(10**400), [1], {"a": 1}, float("nan"), float("inf")])
def test_values_that_no_catalogue_has(value):
    text = json.dumps([{"separation_arcsec": 0.1, "values": {"g": value}}])
    with pytest.raises(SessionError, match="damaged"):
        matches_from(text)


@pytest.mark.parametrize("apart", [10**400, "1", None, float("nan")])
def test_separations_that_are_none(apart):
    with pytest.raises(SessionError, match="damaged"):
        matches_from(json.dumps([{"separation_arcsec": apart, "values": {}}]))
