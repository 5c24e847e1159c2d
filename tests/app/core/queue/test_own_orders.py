"""Orders by the list's own columns: numbers, then texts, then the rest, as plain Python sorts."""

from __future__ import annotations

import json

import pytest
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
from app.core.session.session import new_session
from tests.app.core.queue.scenes import LIST

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
def test_orders_as_text(column, is_down):
    sort = Sort("own", is_down, own=column)
    assert parse_sort(sort_text(sort)) == sort
    assert "\n" not in sort_text(sort)


@pytest.mark.parametrize("text", ["own.", 'own."a', 'own."\\n":up', "own.a:b", "own.:up"])
def test_orders_that_are_none(text):
    with pytest.raises(FilterError):
        parse_sort(text)


def test_a_name_is_read_as_people_type_it():
    assert parse_sort("own.Mag_r:down") == Sort("own", True, own="Mag_r")
    assert parse_sort("own.Mag_r") == Sort("own", own="Mag_r")


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
        assert [row.candidate.id for row in matching(session, EVERYTHING, sort)] == [2, 1]
        add(session, [2.0], first=3)
        assert [row.candidate.id for row in matching(session, EVERYTHING, sort)] == [2, 3, 1]
