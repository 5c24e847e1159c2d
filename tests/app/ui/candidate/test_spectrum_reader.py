"""Unreadable spectra are marked until they can be read."""

from __future__ import annotations

import pytest

from agent.tasks.catalogue import find_task
from app.core.inspections.store import mark_fault
from app.core.session.records import Verdict
from app.core.session.session import new_session
from tests.app.ui.candidate.walking import give_list, said
from tests.app.ui.conftest import opened_context
from tests.app.ui.steps import show_painted

pytestmark = pytest.mark.usefixtures("length")


def test_an_unreadable_spectrum_is_marked_and_cannot_be_judged(qtbot, tmp_path):
    with new_session(tmp_path / "broken", find_task("CV"), "Ada") as session:
        give_list(session, tmp_path, ["missing.fits", "absent.fits"])
        with opened_context(session) as context:
            with qtbot.waitSignal(context.current.spectrum_failed) as why:
                context.current.start()
            assert "missing.fits" in why.args[0]
            told = said(qtbot, context.current, lambda: context.current.judge(Verdict.ACCEPT))
            assert "cannot be read" in told
            qtbot.waitUntil(lambda: session.candidate(1).fault != "")
            context.current.next_unjudged()
            qtbot.waitUntil(lambda: context.current.candidate.id == 2)
    assert session.is_read_only is False


def test_a_spectrum_that_is_readable_again_loses_its_mark(qtbot, context, session):
    mark_fault(session, 1, "was away")
    show_painted(qtbot, context)
    qtbot.waitUntil(lambda: session.candidate(1).fault == "")
    context.current.judge(Verdict.ACCEPT, stay=True)
    assert session.judgement(1).opinion.verdict is Verdict.ACCEPT
