"""Every query of the queue uses an index and never scans the whole list."""

import pytest

from app.core import queue
from app.core.inspections.store import models_of
from app.core.queue.filters import EVERYTHING, InList
from app.core.queue.sorts import SORT_KEYS
from app.core.session.records import Opinion, Verdict
from app.core.statistics.pace import ProgressCounter, recent_pace
from tests.app.core.queue.query_plans import SCORE, explained, refuse_slow

SORTS = [queue.Sort(key, is_down, seed=5) for key in SORT_KEYS for is_down in (False, True)]
TREES = [EVERYTHING, queue.UNJUDGED, InList(2), queue.combine(InList(1), queue.UNJUDGED)]


@pytest.mark.parametrize("sort", SORTS, ids=str)
@pytest.mark.parametrize("tree", TREES, ids=str)
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
