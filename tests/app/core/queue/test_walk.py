"""Walks scan and gather rows and give the same result either way."""

import pytest
from hypothesis import given, settings

from app.core.queue import EVERYTHING, LIST_ORDER, Sort, matching, page, parse_filter
from app.core.queue import walk as walking
from tests.app.core.queue.query_plans import SCORE, explained, refuse_slow
from tests.app.core.queue.trees import SORTS, TREES
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
