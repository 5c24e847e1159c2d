"""Rare candidates are found by an index of their own."""

from __future__ import annotations

import pytest

from app.core.queue import page, parse_filter
from app.core.queue import walk as walking
from tests.app.core.queue.query_plans import FULL_SCAN, SCORE, explained


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
def test_rare_ones_are_gathered_by_an_index(planned_session, text, monkeypatch):
    monkeypatch.setattr(walking, "MAX_GATHERED", 5000)
    tree = parse_filter(text)
    page(planned_session, tree, SCORE)
    with explained(planned_session) as plans:
        page(planned_session, tree, SCORE)
    assert any("few" in statement for statement, _ in plans)
    for statement, steps in plans:
        assert not any(map(FULL_SCAN.match, steps)), (statement, steps)
        # What is put in order are few, and the order's own index stays out of it.
        if any("TEMP B-TREE FOR ORDER BY" in step for step in steps):
            assert any(step.startswith("SCAN few") for step in steps), (statement, steps)
