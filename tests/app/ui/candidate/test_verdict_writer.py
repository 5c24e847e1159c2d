"""Verdicts are recorded with what was seen, undone and redone."""

from __future__ import annotations

import threading

import pytest

from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.app.ui.candidate.walking import begin, said, shown, verdicts
from tests.app.ui.conftest import opened_context
from tests.app.ui.opinions import give_opinion

pytestmark = pytest.mark.usefixtures("length")


def test_undo_restores_the_candidate_and_its_opinion(qtbot, context, session):
    current = begin(qtbot, context)
    current.set_comment("宽")
    current.judge(Verdict.REJECT)
    shown(qtbot, context, 2)
    current.undo()
    assert current.candidate.id == 1
    assert (current.opinion.verdict, current.opinion.comment) == (None, "宽")
    current.redo()
    assert session.judgement(1).opinion.verdict is Verdict.REJECT


def test_undo_returns_object_and_former_verdict_after_a_restart(qtbot, tmp_path, session):
    with opened_context(session) as context:
        current = begin(qtbot, context)
        current.judge(Verdict.ACCEPT, confidence=4)
        shown(qtbot, context, 2)
        current.go_to(1)
        shown(qtbot, context, 1)
        current.judge(Verdict.REJECT, confidence=1)
        shown(qtbot, context, 2)
    session.close()
    with open_session(tmp_path / "night.speco3", "Ada") as again, opened_context(again) as context:
        context.current.start()
        shown(qtbot, context, 2)
        context.current.undo()
        assert context.current.candidate.id == 1
        assert context.current.opinion == Opinion(verdict=Verdict.ACCEPT, confidence=4)
        context.current.undo()
        assert context.current.opinion == Opinion()
        assert "Nothing to undo" in said(qtbot, context.current, context.current.undo)


def test_seconds_and_what_was_seen_are_recorded(qtbot, context, session):
    give_opinion(session, 1, "YES", 0.9)
    current = begin(qtbot, context)
    current.judge(Verdict.ACCEPT)
    entry = next(iter(session.history()))
    assert entry.seconds >= 0
    assert dict(entry.shown) == {"verdict": "YES", "p_yes": 0.9, "model": "nano"}


def test_nothing_is_recorded_while_an_act_on_many_is_being_saved(qtbot, context, session):
    current = begin(qtbot, context)
    saved, ended, refused = threading.Event(), [], []
    current.failed.connect(lambda text, details: refused.append(text))
    try:
        current.verdicts.start(saved.wait, ended.append, ended.append)
        current.judge(Verdict.ACCEPT)
        current.undo()
    finally:
        saved.set()
    assert ["still being saved" in text for text in refused] == [True, True]
    assert verdicts(session) == {} and current.candidate.id == 1
    qtbot.waitUntil(lambda: ended == [True])
    current.judge(Verdict.ACCEPT)
    assert verdicts(session) == {1: "ACCEPT"}
