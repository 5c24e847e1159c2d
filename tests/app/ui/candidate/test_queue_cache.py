"""Neighbours in the queue come from the cache, and changed ones are read again."""

from __future__ import annotations

import pytest

from app.core.session.records import Opinion, Verdict
from tests.app.ui.candidate.walking import begin, shown

pytestmark = pytest.mark.usefixtures("length")


def test_a_candidate_judged_elsewhere_is_skipped(qtbot, context, session):
    current = begin(qtbot, context)
    qtbot.waitUntil(lambda: current._cache.next_unjudged(current.row) is not None)
    session.record_verdict(2, Opinion(verdict=Verdict.REJECT))
    current.judge(Verdict.ACCEPT)
    shown(qtbot, context, 3)


def test_moving_within_the_cache_needs_no_query(qtbot, context, monkeypatch):
    """Between cached rows no key waits for the database."""
    current = begin(qtbot, context)
    qtbot.waitUntil(lambda: current._cache.next(current.row) is not None)

    def refuse(*_):
        raise AssertionError("the window's thread reads the database")

    with monkeypatch.context() as patched:
        patched.setattr("app.ui.candidate.current.row_of", refuse)
        patched.setattr("app.ui.candidate.current.next_of", refuse)
        current.next()
        current.next()
        current.previous()
    assert current.candidate.id == 2
