"""Pages read one after the other, either way, and the next candidate nobody has judged."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import insert

from app.core.database.tables import candidates
from app.core.errors import SessionError
from app.core.queue import (
    EVERYTHING,
    LIST_ORDER,
    UNJUDGED,
    Count,
    Sort,
    combine,
    count,
    find,
    next_row,
    next_unjudged,
    page,
    parse_filter,
    previous_row,
    row_of,
)
from app.core.queue import walk as walking
from app.core.queue.filters import Not, Number, OwnColumnFilter
from app.core.session.session import open_session
from tests.app.core.queue.scenes import SORTS, TREES
from tests.app.core.sessions import REJECT, change, change_candidates, made
from tests.night import examples
from tests.processes import LONG_S

SCORE = Sort("score", descending=True)


def numbers(page):
    return [row.candidate.id for row in page.rows]


def pages(session, tree, sort, limit, backwards=False):
    after = None
    while True:
        found = page(session, tree, sort, after=after, limit=limit, backwards=backwards)
        assert len(found.rows) <= limit
        yield found
        if found.end is None:
            return
        after = found.end


@settings(max_examples=examples(40))
@given(tree=TREES, sort=SORTS, limit=st.integers(7, 200), backwards=st.booleans())
def test_pages_hold_everything_once(seen, tree, sort, limit, backwards):
    whole = [numbers(each) for each in pages(seen.session, tree, sort, limit, backwards)]
    found = [number for each in (whole[::-1] if backwards else whole) for number in each]
    assert found == seen.numbers(tree, sort)


def test_a_line_tells_what_the_reviewer_thinks(seen):
    for row in page(seen.session, limit=100).rows:
        known = seen.known[row.candidate.id - 1]
        mine = None if row.mine is None else row.mine.opinion
        assert mine == known.said.get("Ada")
        assert row.candidate == seen.session.candidate(row.candidate.id)
        if row.mine is not None:
            assert row.mine == seen.session.judgement(row.candidate.id)


@settings(max_examples=examples(60))
@given(sort=SORTS, number=st.integers(1, 150), tree=TREES)
def test_one_forward_and_one_back(seen, sort, number, tree):
    position = row_of(seen.session, number, sort).position
    every = seen.numbers(EVERYTHING, sort)
    shown = set(seen.numbers(tree, sort))
    at = every.index(number)
    ahead = [each for each in every[at + 1 :] if each in shown]
    behind = [each for each in every[:at] if each in shown]
    following = next_row(seen.session, tree, sort, after=position)
    before = previous_row(seen.session, tree, sort, before=position)
    assert (following and following.candidate.id) == (ahead[0] if ahead else None)
    assert (before and before.candidate.id) == (behind[-1] if behind else None)


@settings(max_examples=examples(60))
@given(sort=SORTS, number=st.integers(1, 150), tree=TREES)
def test_the_next_unjudged_and_from_the_front_again(seen, sort, number, tree):
    position = row_of(seen.session, number, sort).position
    every = seen.numbers(EVERYTHING, sort)
    left = set(seen.numbers(combine(tree, UNJUDGED), sort))
    at = every.index(number)
    ahead = [each for each in every[at + 1 :] if each in left]
    again = [each for each in every if each in left]
    found = next_unjudged(seen.session, tree, sort, after=position)
    assert (found and found.candidate.id) == ((ahead or again)[0] if ahead or again else None)


def test_a_person_works_through_a_list(location):
    """Always the next one, the star later, an undo brings one back, and then nothing is left."""
    with made(location, 6) as session:
        set_scores(session, {1: 0.1, 2: 0.9, 3: None, 4: 0.9, 5: 0.5, 6: None})
        met = []
        row = next_unjudged(session, sort=SCORE)
        while row is not None:
            met.append(row.candidate.id)
            session.record_verdict(row.candidate.id, REJECT)
            row = next_unjudged(session, sort=SCORE, after=row.position)
        assert met == [2, 4, 5, 1, 3, 6]
        session.undo()
        session.undo()
        assert next_unjudged(session, sort=SCORE).candidate.id == 3
        third = row_of(session, 3, SCORE).position
        assert next_unjudged(session, sort=SCORE, after=third).candidate.id == 6
    with open_session(location, "Ben") as session:
        assert next_unjudged(session, sort=SCORE).candidate.id == 2
        session.record_verdict(2, REJECT)
        assert next_unjudged(session, sort=SCORE).candidate.id == 4
        assert next_unjudged(session).candidate.id == 1


def test_a_place_stays_when_what_stood_there_moves(tmp_path):
    """An agent gives the one on screen another p(YES) meanwhile: going on goes on from there."""
    with made(tmp_path / "a.speco3", 5) as session:
        set_scores(session, {1: 0.9, 2: 0.8, 3: 0.7, 4: 0.6, 5: 0.5})
        here = row_of(session, 2, SCORE).position
        set_scores(session, {2: 0.1})
        assert next_unjudged(session, sort=SCORE, after=here).candidate.id == 3
        assert previous_row(session, sort=SCORE, before=here).candidate.id == 1


def test_a_call_looks_at_so_many_and_no_more(tmp_path, monkeypatch):
    for name, value in (("FIRST_ROWS", 10), ("ROWS_A_CALL", 40), ("FIRST_STRIDE", 5)):
        monkeypatch.setattr(walking, name, value)
    with made(tmp_path / "a.speco3", 200) as session:
        change_candidates(session, {190: {"own": '{"kind": "nova"}'}})
        rare = OwnColumnFilter("kind", "=", "NOVA")
        found = page(session, rare, limit=3)
        assert found.rows == ()
        assert found.end == (40, 40)
        every = [number for each in pages(session, rare, LIST_ORDER, 3) for number in numbers(each)]
        assert every == [190]
        assert next_unjudged(session, rare).candidate.id == 190
        assert next_unjudged(session, combine(rare, Number("id", ">", 195))) is None


def test_others_write_while_one_searches(tmp_path, monkeypatch):
    """Nobody waits for the end of a search: the database is let go between its steps."""
    monkeypatch.setattr(walking, "ROWS_A_CALL", 10)
    monkeypatch.setattr(walking, "FIRST_ROWS", 5)
    with made(tmp_path / "a.speco3", 100) as session:
        session.record_verdict(100, REJECT)
        reached, written = threading.Event(), threading.Event()
        judge = walking._scan

        def slowly(*args):
            if not reached.is_set():
                reached.set()
            elif not written.is_set():
                assert written.wait(LONG_S)
            return judge(*args)

        def write():
            assert reached.wait(LONG_S)
            session.record_verdict(1, REJECT)
            written.set()

        monkeypatch.setattr(walking, "_scan", slowly)
        with ThreadPoolExecutor(1) as pool:
            writing = pool.submit(write)
            assert next_unjudged(session, OwnColumnFilter("kind", "=", "nova")) is None
            writing.result(LONG_S)


def test_two_threads_ask_at_once_in_a_new_order(tmp_path):
    with made(tmp_path / "a.speco3", 50) as session:
        barrier = threading.Barrier(4)

        def ask(key):
            barrier.wait(LONG_S)
            return len(page(session, sort=Sort(key, True), limit=50).rows)

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(ask, ("snr", "snr", "ra", "dec"))) == [50] * 4


def test_an_empty_list_and_pages_of_no_length(tmp_path):
    with made(tmp_path / "a.speco3", 0) as session:
        for limit in (0, -1, 1001):
            with pytest.raises(SessionError, match="1000"):
                page(session, limit=limit)
        assert page(session, sort=SCORE) == page(session)
        assert page(session).rows == ()
        assert next_unjudged(session, parse_filter("flag:star")) is None
        with pytest.raises(SessionError, match="no candidate 1"):
            row_of(session, 1)


def test_a_strangers_numbers_may_be_words(tmp_path):
    with made(tmp_path / "a.speco3", 3) as session:
        change(session, "UPDATE candidates SET score = 'high' WHERE id = 2")
        for sort in (SCORE, Sort("score")):
            with pytest.raises(SessionError, match="damaged"):
                page(session, sort=sort)
            assert numbers(page(session, Not(Number("score", ">", 1.0)), sort)) == [1, 3]


def set_scores(session, scores):
    change_candidates(session, {number: {"score": score} for number, score in scores.items()})


# Counts stop at their limit and say so.
@settings(max_examples=examples(50))
@given(tree=TREES, at_most=st.integers(1, 200))
def test_how_many_a_filter_shows(seen, tree, at_most):
    number = len(seen.of(tree))
    expected = Count(number, True) if number <= at_most else Count(at_most, False)
    assert count(seen.session, tree, at_most) == expected


def test_said_in_words():
    assert str(Count(12345, True)) == "12,345"
    assert str(Count(1000, False)) == "1,000+"


def test_a_count_looks_only_so_far(file_scene, monkeypatch):
    for name in ("FIRST_ROWS", "ROWS_A_CALL"):
        monkeypatch.setattr(walking, name, 20)
    assert count(file_scene.session, parse_filter('own."mag r">0')) == Count(20, False)


# Jumping to what one knows the name or number of.
TARGET = 39_627_322_512_345_678


@pytest.fixture
def named(location):
    with made(location, 30) as session:
        rows = [
            ("J000012", 5), ("J000012.5+01", 0), ("LAMOST J12%_", TARGET), ("17", 0),
            ("101008240", 0), ("星 1", 0), ("j lower", 0),
        ]  # fmt: skip
        change(session, insert(candidates), [named_row(*row) for row in rows])
        yield session


def named_row(name, row):
    plain = {"list_id": 1, "line": 1, "path": "/a.fits", "label": "", "own": "{}"}
    return {**plain, "object_id": name, "row": row}


FOUND = [
    ("J000012", [12, 31, 32]), ("  j000012 ", [12, 31, 32]), ("J00003", [30]), ("17", [34, 17]),
    ("101008240", [35]), (str(TARGET), [33]), ("lamost", [33]), ("LAMOST J12%", [33]),
    ("LAMOST J12_", []), ("星", [36]), ("J LOWER", [37]), ("31", [31]), ("nobody", []), ("%", []),
    ("", []), ("\0", []), ("'; DROP TABLE log; --", []), ("9" * 19, []), ("9" * 500, []), ("٣", []),
]  # fmt: skip


def test_what_one_knows_the_name_or_number_of_is_found(named):
    for text, numbers in FOUND:
        assert [each.id for each in find(named, text)] == numbers, text


def test_not_too_many_are_found(named):
    assert [each.id for each in find(named, "J0000")] == [*range(1, 13), 31, 32, *range(13, 19)]
    assert len(find(named, "J0000", limit=3)) == 3
