"""Walks scan and gather rows and give the same result either way, by an index, not by a scan."""

import pytest
from hypothesis import given, settings

from app.core import queue
from app.core.inspections.store import models_of
from app.core.queue import EVERYTHING, LIST_ORDER, Sort, matching, page, parse_filter
from app.core.queue import walk as walking
from app.core.queue.filters import InList
from app.core.queue.sorts import SORT_KEYS
from app.core.session.records import Opinion, Verdict
from app.core.statistics.pace import ProgressCounter, recent_pace
from tests.app.core.queue.query_plans import SCORE, explained, refuse_slow
from tests.app.core.queue.scenes import SORTS, TREES
from tests.night import examples


def test_looking_goes_along_the_order(planned_session, monkeypatch):
    monkeypatch.setattr(walking, "MAX_GATHERED", -1)
    tree = parse_filter("own.class=star p_yes>0.1 -flag:star inspected:nano")
    page(planned_session, tree, SCORE, limit=3)
    with explained(planned_session) as plans:
        page(planned_session, tree, SCORE, limit=3)
    refuse_slow([(s, p) for s, p in plans if "hit" in s])


def test_a_range_of_the_order_itself_is_not_walked_to(planned_session, monkeypatch):
    monkeypatch.setattr(walking, "MAX_GATHERED", -1)
    for name in ("ROWS_A_CALL", "FIRST_ROWS"):
        monkeypatch.setattr(walking, name, 60)
    tree, sort = parse_filter("p_yes:0.3..0.4"), Sort("p_yes", True)
    found = page(planned_session, tree, sort, limit=100)
    assert found.end is None
    assert len(found.rows) > 3
    assert page(planned_session, tree, sort, limit=100, backwards=True) == found


def found(session, tree=EVERYTHING, sort=LIST_ORDER):
    return [row.candidate.id for row in matching(session, tree, sort, at_once=37)]


@settings(max_examples=examples(40))
@given(tree=TREES, sort=SORTS)
def test_the_same_by_looking_alone(file_scene, tree, sort):
    """Nothing is gathered, and a call looks at a few rows only."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (
            ("MAX_GATHERED", -1), ("MAX_GATHERED_LATE", -1), ("FIRST_ROWS", 3), ("ROWS_A_CALL", 11),
        ):  # fmt: skip
            patch.setattr(walking, name, value)
        assert found(file_scene.session, tree, sort) == file_scene.numbers(tree, sort)


@settings(max_examples=examples(60))
@given(tree=TREES, sort=SORTS)
def test_the_same_by_gathering_late(file_scene, tree, sort):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("MAX_GATHERED", -1), ("MAX_GATHERED_LATE", 500), ("FIRST_ROWS", 5)):
            patch.setattr(walking, name, value)
        assert found(file_scene.session, tree, sort) == file_scene.numbers(tree, sort)


# Every query of the queue uses an index and never scans the whole list.
PLANNED_SORTS = [queue.Sort(key, is_down, seed=5) for key in SORT_KEYS for is_down in (False, True)]
PLANNED_TREES = [EVERYTHING, queue.UNJUDGED, InList(2), queue.combine(InList(1), queue.UNJUDGED)]


@pytest.mark.parametrize("sort", PLANNED_SORTS, ids=str)
@pytest.mark.parametrize("tree", PLANNED_TREES, ids=str)
def test_pages(planned_session, sort, tree):
    position = queue.page(planned_session, tree, sort, limit=5).rows[-1].position
    with explained(planned_session) as plans:
        queue.page(planned_session, tree, sort, after=position)
        queue.page(planned_session, tree, sort, after=position, backwards=True)
        queue.page(planned_session, tree, sort)
        queue.previous_row(planned_session, tree, sort, before=position)
        queue.next_unjudged(planned_session, tree, sort, after=position)
        queue.count(planned_session, tree)
        queue.row_of(planned_session, 17, sort)
    refuse_slow(plans)
    if sort.key != "list":
        assert any(f"queue_{sort.name}" in step for _, steps in plans for step in steps)


def test_the_index_of_the_unjudged_is_used(planned_session):
    queue.next_unjudged(planned_session, sort=SCORE)
    with explained(planned_session) as plans:
        queue.next_unjudged(planned_session, sort=SCORE)
    steps = [step for _, steps in plans for step in steps if "queue_" in step]
    assert steps
    assert all("queue_score_down_unjudged1" in step for step in steps)


def test_the_rest(planned_session):
    tally = ProgressCounter(planned_session)
    tally.progress()
    candidate = planned_session.candidate(7)
    with explained(planned_session) as plans:
        queue.find(planned_session, "J00001")
        queue.find(planned_session, "17")
        queue.find(planned_session, "39627000000017")
        queue.neighbours(planned_session, candidate, 3600)
        recent_pace(planned_session)
        tally.progress()
        models_of(planned_session)
        planned_session.record_verdict(9, Opinion(verdict=Verdict.REJECT, comment="for the tally"))
        tally.progress()
    quick = [each for each in plans if "reviewers" not in each[0]]
    refuse_slow(quick)
