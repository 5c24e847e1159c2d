"""The order by likeness to one candidate, in a file and on a server."""

from __future__ import annotations

import numpy as np
import pytest

from app.core.queue import (
    EVERYTHING,
    FilterError,
    Sort,
    matching,
    next_row,
    page,
    parse_filter,
    parse_sort,
    previous_row,
    row_of,
    sort_text,
)
from app.core.similar.features import SIZE
from app.core.similar.index import index_of
from app.core.spectra.prefetch import SpectrumKey

KNOWN = (3, 4, 7, 9, 2)
"""By likeness to candidate 3."""


def ids(session, words="", sort=None):
    sort = sort or Sort("like", like=3)
    return [row.candidate.id for row in matching(session, parse_filter(words), sort, at_once=7)]


@pytest.fixture
def session(seen):
    """Candidates that turn away from candidate 3 step by step."""
    index = index_of(seen.session.database)
    for step, number in enumerate(KNOWN):
        vector = np.zeros(SIZE, np.int8)
        vector[:2] = 100 - 10 * step, 10 * step
        index.add(SpectrumKey(number, ""), vector)
    index.end_round()
    return seen.session


def test_the_candidate_then_the_most_alike_then_the_others(session):
    every = [row.candidate.id for row in matching(session)]
    rest = [number for number in every if number not in KNOWN]
    assert ids(session) == [*KNOWN, *rest]
    unjudged = set(ids(session, "verdict:unjudged"))
    assert ids(session, "verdict:unjudged") == [n for n in ids(session) if n in unjudged]


def test_next_and_previous_go_along_it(session):
    sort = Sort("like", like=3)
    row = row_of(session, 7, sort)
    assert next_row(session, EVERYTHING, sort, after=row.position).candidate.id == 9
    assert previous_row(session, EVERYTHING, sort, before=row.position).candidate.id == 4
    last = page(session, EVERYTHING, sort, limit=2, backwards=True)
    assert [each.candidate.id for each in last.rows] == ids(session)[-2:]


def test_it_stays_until_a_round_of_reading_has_ended(session):
    before, index = ids(session), index_of(session.database)
    index.add(SpectrumKey(5, ""), index.vector(3))
    assert ids(session) == before
    index.end_round()
    assert ids(session)[:2] == [3, 5]


def test_without_features_it_is_the_list_after_the_candidate(session):
    every = [row.candidate.id for row in matching(session)]
    expected = [8, *(number for number in every if number != 8)]
    assert ids(session, sort=Sort("like", like=8)) == expected
    assert ids(session, sort=Sort("like", like=10**9)) == every


def test_as_text():
    assert parse_sort("like:12") == Sort("like", like=12)
    assert sort_text(Sort("like", like=12)) == "like:12"


@pytest.mark.parametrize(
    "text", ["like", "like:", "like:0", "like:-3", "like:1:up", "like:" + 30 * "9"]
)
def test_texts_that_are_none(text):
    with pytest.raises(FilterError):
        parse_sort(text)
