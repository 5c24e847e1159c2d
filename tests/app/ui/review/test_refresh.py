"""Pages are computed again when the session changes, while they are visible."""

from __future__ import annotations

from app.core.session.records import Opinion, Verdict
from app.ui.review.agreement_page import AgreementPage
from tests.app.core.judged_sessions import A, R, say
from tests.app.ui.review.conftest import settled


def test_a_new_verdict_is_counted(qtbot, context, session, shown):
    page = shown(AgreementPage(context))
    say(session, "Li Wei", {1: A, 2: R})
    say(session, "Ada", {1: A})
    session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT))
    qtbot.waitUntil(lambda: page.people.figure.isVisible())
    settled(qtbot, page)
    assert page.found.statistics.people.pairs[0].every.n == 2


def test_a_page_nobody_looks_at_works_nothing_out(qtbot, context, session):
    page = AgreementPage(context)
    qtbot.addWidget(page)
    session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT))
    qtbot.wait(1)
    assert page.found is None
