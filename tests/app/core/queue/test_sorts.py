"""Orders: as said, the unknown last, ties in list order, and chance that is the same each time."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert

from agent.tasks.catalogue import find_task
from app.core.database.tables import candidates, lists
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
from app.core.queue.landmarks import BLOCK, block_rows, landmarks
from app.core.queue.sorts import PRIME, SORT_KEYS
from app.core.session.session import new_session
from app.core.similar.features import SIZE
from app.core.similar.index import index_of
from app.core.spectra.prefetch import SpectrumKey
from tests.app.core.queue.scenes import LIST
from tests.app.core.sessions import made


def found(session, sort):
    return [row.candidate.id for row in matching(session, EVERYTHING, sort)]


@pytest.mark.parametrize("key", [key for key in SORT_KEYS if key != "random"])
@pytest.mark.parametrize("is_down", [False, True])
def test_every_order(seen, key, is_down):
    sort = Sort(key, is_down)
    assert found(seen.session, sort) == seen.numbers(EVERYTHING, sort)


def test_a_random_order_is_the_same_each_time(seen):
    first, second = Sort("random", seed=1), Sort("random", seed=2)
    numbers = found(seen.session, first)
    assert sorted(numbers) == [each.id for each in seen.known]
    assert numbers == found(seen.session, first)
    assert numbers != found(seen.session, second)
    assert found(seen.session, Sort("random", descending=True, seed=1)) == numbers[::-1]


@pytest.mark.parametrize("seed", [0, 1, 7, 123456, PRIME - 1])
def test_a_random_order_looks_like_chance(tmp_path, seed):
    """Neither the place of a candidate nor that of its neighbour in the list can be told."""
    count = 4000
    with made(tmp_path / "a.speco3", count) as session:
        places = np.argsort(found(session, Sort("random", seed=seed))) / count
    for apart in (1, 2, 3, 10, 101):
        assert abs(np.corrcoef(places[:-apart], places[apart:])[0, 1]) < 4 / np.sqrt(count)
    steps = np.histogram((places[1:] - places[:-1]) % 1.0, 20)[0]
    assert np.sum((steps - count / 20) ** 2 / (count / 20)) < 50  # 19 degrees of freedom
    assert abs(np.mean(places[: count // 10]) - 0.5) < 4 * np.sqrt(1 / 12 / (count / 10))


@pytest.mark.parametrize(("text", "sort"), [
    ("list", Sort()), ("list:down", Sort("list", True)), ("score", Sort("score", True)),
    ("score:up", Sort("score")), (" SNR : down ", Sort("snr", True)),
    ("uncertain", Sort("uncertain", True)), ("surprising", Sort("surprising", True)),
    ("disagreeing", Sort("disagreeing", True)), ("ra", Sort("ra")), ("object", Sort("object")),
    ("object:down", Sort("object", True)), ("random", Sort("random")),
    ("random:7", Sort("random", seed=7)), ("random:7:down", Sort("random", True, 7)),
    ("like:12", Sort("like", like=12)),
])  # fmt: skip
def test_orders_as_text(text, sort):
    assert parse_sort(text) == sort
    assert parse_sort(sort_text(sort)) == sort


@given(st.sampled_from(SORT_KEYS), st.booleans(), st.integers(0, PRIME - 1))
def test_orders_are_read_back(key, is_down, seed):
    sort = Sort(key, is_down, seed if key == "random" else 0)
    assert parse_sort(sort_text(sort)) == sort


@pytest.mark.parametrize(
    "text",
    ["", "colour", "score:best", "score:up:down", "random:x", "random:-1", "random:9999999999",
     "score:1", "id; DROP TABLE candidates", "random:٣", "own.", 'own."a', 'own."\\n":up',
     "own.a:b", "own.:up", "like", "like:", "like:0", "like:-3", "like:1:up", "like:" + 30 * "9",
     "like:1+", "like:1+0", "like:1-2-", "like:1" + "+2" * 101, "learned:worst", "learned:best:",
     "learned:best:name=x", "learned:up", "learned:best:flag="],
)  # fmt: skip
def test_orders_that_are_none(text):
    with pytest.raises(FilterError):
        parse_sort(text)


def test_an_order_of_no_kind_and_names_as_people_type_them():
    for key in ("own", "learned"):
        with pytest.raises(FilterError, match="unknown order"):
            Sort(key)
    with pytest.raises(FilterError, match="seed"):
        Sort("random", seed=PRIME)
    assert parse_sort("own.Mag_r:down") == Sort("own", True, own="Mag_r")
    assert parse_sort("own.Mag_r") == Sort("own", own="Mag_r")


# Orders by the list's own columns: numbers, then texts, then the rest, as plain Python sorts.
COLUMNS = ("mag r", "class", "seen", 'odd "na.me', "no such column")


def expected(scene, tree, sort):
    def value(known):
        found = known.own.get(sort.own)
        return str(found).lower() if isinstance(found, bool) else found

    known = scene.of(tree)
    numbers = [each for each in known if isinstance(value(each), int | float)]
    texts = [each for each in known if isinstance(value(each), str) and value(each)]
    rest = [each for each in known if each not in numbers and each not in texts]
    numbers.sort(key=value, reverse=sort.descending)
    texts.sort(key=lambda each: value(each).casefold(), reverse=sort.descending)
    return [each.id for each in (*numbers, *texts, *rest)]


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("is_down", [False, True])
@pytest.mark.parametrize("words", ["", "verdict:unjudged", "snr>5 or has:flag", "list:2 score>0"])
def test_every_column_in_both_directions(seen, column, is_down, words):
    sort, tree = Sort("own", is_down, own=column), parse_filter(words)
    found = [row.candidate.id for row in matching(seen.session, tree, sort, at_once=7)]
    assert found == expected(seen, tree, sort)


def test_pages_backwards_and_neighbours(seen):
    sort = Sort("own", True, own="mag r")
    every = expected(seen, EVERYTHING, sort)
    backwards = page(seen.session, EVERYTHING, sort, limit=5, backwards=True)
    assert [row.candidate.id for row in backwards.rows] == every[-5:]
    row = row_of(seen.session, every[10], sort)
    assert next_row(seen.session, EVERYTHING, sort, after=row.position).candidate.id == every[11]
    before = previous_row(seen.session, EVERYTHING, sort, before=row.position)
    assert before.candidate.id == every[9]


@pytest.mark.parametrize("column", ["mag", 'a "b": c', "星等", "own.x", "a\\b", "x:up"])
@pytest.mark.parametrize("is_down", [False, True])
def test_own_orders_as_text(column, is_down):
    sort = Sort("own", is_down, own=column)
    assert parse_sort(sort_text(sort)) == sort
    assert "\n" not in sort_text(sort)


def add(session, values, first=1):
    with session.database.writing() as connection:
        if first == 1:
            connection.execute(insert(lists).values(LIST | {"id": 1}))
        rows = [
            {
                **{"id": first + at, "list_id": 1, "line": first + at, "object_id": f"J{at}"},
                **{"path": "", "row": 0, "label": "", "own": json.dumps({"mag": value})},
            }
            for at, value in enumerate(values)
        ]
        connection.execute(insert(candidates), rows)


def test_landmarks_reach_every_row_of_a_long_list(tmp_path):
    count, sort = 3000, Sort("own", True, own="mag")
    with new_session(tmp_path / "long", find_task("CV"), "Ada") as session:
        add(session, [(7919 * at) % count for at in range(count)])
        tree = parse_filter("id>500")
        ids = [row.candidate.id for row in matching(session, tree, sort)]
        found = landmarks(session, tree, sort)
        ends, rest, end = list(found.ends), found.rest, found.end
        while end is not None:
            found = landmarks(session, tree, sort, after=end, rest=rest, rows=700)
            ends, rest, end = ends + list(found.ends), found.rest, found.end
        assert [each.id for each in ends] == ids[BLOCK - 1 :: BLOCK]
        assert rest == len(ids) % BLOCK
        block = block_rows(session, tree, sort, ends[3], ends[4])
        assert [row.candidate.id for row in block] == ids[4 * BLOCK : 5 * BLOCK]


def test_candidates_that_come_later_are_in_the_order(tmp_path):
    sort = Sort("own", own="mag")
    with new_session(tmp_path / "a", find_task("CV"), "Ada") as session:
        add(session, [3.0, 1.0])
        assert found(session, sort) == [2, 1]
        add(session, [2.0], first=3)
        assert found(session, sort) == [2, 3, 1]


# The order by likeness to one candidate, in a file and on a server.
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


def test_the_candidate_then_the_most_alike_or_the_list_without_features(session):
    every = [row.candidate.id for row in matching(session)]
    rest = [number for number in every if number not in KNOWN]
    assert ids(session) == [*KNOWN, *rest]
    unjudged = set(ids(session, "verdict:unjudged"))
    assert ids(session, "verdict:unjudged") == [n for n in ids(session) if n in unjudged]
    every = [row.candidate.id for row in matching(session)]
    expected = [8, *(number for number in every if number != 8)]
    assert ids(session, sort=Sort("like", like=8)) == expected
    assert ids(session, sort=Sort("like", like=10**9)) == every


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
