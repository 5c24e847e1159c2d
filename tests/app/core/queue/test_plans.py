"""How the database goes about it: by an index, from where one stands, never through the list."""

from __future__ import annotations

import re
from contextlib import contextmanager

import pytest
from sqlalchemy import event

from app.core.inspections.store import models_of
from app.core.queue import (
    UNJUDGED,
    Sort,
    combine,
    count,
    find,
    neighbours,
    next_unjudged,
    page,
    parse_filter,
    previous_row,
    row_of,
)
from app.core.queue import walk as walking
from app.core.queue.filters import EVERYTHING, InList
from app.core.queue.sorts import SORT_KEYS
from app.core.session.records import Opinion, Verdict
from app.core.statistics.pace import ProgressCounter, recent_pace
from tests.app.core.queue.scenes import scene

SORTS = [Sort(key, is_down, seed=5) for key in SORT_KEYS for is_down in (False, True)]
SMALL = "candidates_(several|faulty|differing)|judgements_(flagged|commented)"
THROUGH = re.compile(
    rf"^SCAN (candidates|judgements|log|inspections|mine)\b(?! USING (COVERING )?INDEX ({SMALL}))"
)
SCORE = Sort("score", True)
TREES = [EVERYTHING, UNJUDGED, InList(2), combine(InList(1), UNJUDGED)]


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    made = scene(tmp_path_factory.mktemp("plans") / "night.speco3", 300)
    with made.session as session:
        yield session


@contextmanager
def explained(session):
    """What SQLite plans for each query that is run within the block."""
    plans: list[tuple[str, list[str]]] = []

    def note(_connection, cursor, statement, parameters, *_):
        if statement.startswith(("SELECT", "WITH")) and "sqlite_schema" not in statement:
            driver = cursor.connection
            rows = driver.execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall()
            plans.append((statement, [row[3] for row in rows]))

    with session.database.reading() as connection:
        engine = connection.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield plans
    finally:
        event.remove(engine, "before_cursor_execute", note)


def refuse_slow(plans):
    assert plans
    for statement, steps in plans:
        told = "\n".join([statement, *steps])
        assert not any(map(THROUGH.match, steps)), told
        assert not any("TEMP B-TREE" in step for step in steps), told


@pytest.mark.parametrize("sort", SORTS, ids=str)
@pytest.mark.parametrize("tree", TREES, ids=str)
def test_pages(session, sort, tree):
    place = page(session, tree, sort, limit=5).lines[-1].position
    with explained(session) as plans:
        page(session, tree, sort, after=place)
        page(session, tree, sort, after=place, backwards=True)
        page(session, tree, sort)
        previous_row(session, tree, sort, before=place)
        next_unjudged(session, tree, sort, after=place)
        count(session, tree)
        row_of(session, 17, sort)
    refuse_slow(plans)
    if sort.key != "list":
        assert any(f"queue_{sort.name}" in step for _, steps in plans for step in steps)


def test_the_index_of_the_unjudged_is_used(session):
    next_unjudged(session, sort=SCORE)
    with explained(session) as plans:
        next_unjudged(session, sort=SCORE)
    steps = [step for _, steps in plans for step in steps if "queue_" in step]
    assert steps
    assert all("queue_score_down_unjudged1" in step for step in steps)


@pytest.mark.parametrize(
    "text",
    [
        "verdict:accept",
        "not verdict:unjudged",
        "any:reject",
        "agent:yes",
        "flag:star",
        "has:flag",
        "comment:binary",
        "has:comment",
        "has:fault",
        "fault:file",
        "object=J000007",
        "p_yes>0.9",
        "snr>20",
        "score<0",
        "disagree:agent",
        "disagree:agents",
        "disagree:people",
        "verdict:accept or flag:star",
        "own.class=star verdict:accept",
    ],
)
def test_rare_ones_are_gathered_by_an_index(session, text, monkeypatch):
    monkeypatch.setattr(walking, "MAX_GATHERED", 5000)
    tree = parse_filter(text)
    page(session, tree, SCORE)
    with explained(session) as plans:
        page(session, tree, SCORE)
    assert any("few" in statement for statement, _ in plans)
    for statement, steps in plans:
        assert not any(map(THROUGH.match, steps)), (statement, steps)
        # What is put in order are few, and the order's own index stays out of it.
        if any("TEMP B-TREE FOR ORDER BY" in step for step in steps):
            assert any(step.startswith("SCAN few") for step in steps), (statement, steps)


def test_looking_goes_along_the_order(session, monkeypatch):
    monkeypatch.setattr(walking, "MAX_GATHERED", -1)
    tree = parse_filter("own.class=star p_yes>0.1 -flag:star inspected:nano")
    page(session, tree, SCORE, limit=3)
    with explained(session) as plans:
        page(session, tree, SCORE, limit=3)
    refuse_slow([(s, p) for s, p in plans if "hit" in s])


def test_a_range_of_the_order_itself_is_not_walked_to(session, monkeypatch):
    monkeypatch.setattr(walking, "MAX_GATHERED", -1)
    for name in ("ROWS_A_CALL", "FIRST_ROWS"):
        monkeypatch.setattr(walking, name, 60)
    tree, sort = parse_filter("p_yes:0.3..0.4"), Sort("p_yes", True)
    found = page(session, tree, sort, limit=100)
    assert found.end is None
    assert len(found.lines) > 3
    assert page(session, tree, sort, limit=100, backwards=True) == found


def test_the_rest(session):
    tally = ProgressCounter(session)
    tally.progress()
    candidate = session.candidate(7)
    with explained(session) as plans:
        find(session, "J00001")
        find(session, "17")
        find(session, "39627000000017")
        neighbours(session, candidate, 3600)
        recent_pace(session)
        tally.progress()
        models_of(session)
        session.record_verdict(9, Opinion(verdict=Verdict.REJECT, comment="for the tally"))
        tally.progress()
    quick = [each for each in plans if "reviewers" not in each[0]]
    refuse_slow(quick)
