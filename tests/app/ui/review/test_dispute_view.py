"""One dispute: all opinions side by side, judged as anywhere else."""

from __future__ import annotations

from sqlalchemy import update

from app.core.database.tables import candidates
from app.core.session.records import Verdict
from app.core.statistics.adjudication import adjudicator_of
from app.ui.review.disagreement_page import DisagreementPage
from tests.app.core.judged_sessions import A, R, say
from tests.app.ui.review.conftest import choose, click, judge, settled, tick, visible_text


def test_both_opinions_stand_side_by_side(qtbot, page, context):
    choose(qtbot, page, 3)
    seen = visible_text(page.view)
    for word in ("Ada", "✓ accepted", "Li Wei", "✕ rejected", "people disagree"):
        assert word in seen
    assert context.current.candidate.id == 3


def test_the_agents_evidence_stands_beside_them(qtbot, page):
    click(qtbot, page.sides["agents"])
    settled(qtbot, page)
    choose(qtbot, page, 7)
    seen = visible_text(page.view)
    for word in ("Agent nano", "YES · p(YES) 0.90", "Agent measured", "NO · p(YES) 0.20", "Hα"):
        assert word in seen


def test_ones_own_verdict_is_set_here(qtbot, page, context, disputed):
    choose(qtbot, page, 3)
    judge(qtbot, page, context, page.view.reject)
    assert disputed.judgement(3).opinion.verdict is Verdict.REJECT
    assert context.current.candidate.id == 3
    settled(qtbot, page)
    qtbot.waitUntil(lambda: [each.id for each in page.found] == [5])


def test_nothing_is_judged_before_it_was_painted(qtbot, page, context, disputed):
    choose(qtbot, page, 3)
    qtbot.waitUntil(lambda: context.current.is_painted)
    context.current._painted_at = None
    click(qtbot, page.view.reject)
    assert disputed.judgement(3).opinion.verdict is Verdict.ACCEPT


def test_the_readers_word_may_decide(qtbot, page, context, disputed):
    choose(qtbot, page, 3)
    click(qtbot, page.view.settle)
    assert adjudicator_of(disputed) == "Ada"
    qtbot.waitUntil(lambda: "Settled by the adjudicator: ✓ accepted" in visible_text(page.view))
    tick(qtbot, page.only_open)
    qtbot.waitUntil(lambda: page.found == ())
    settled(qtbot, page)
    assert not page.view.isVisible()
    tick(qtbot, page.only_open)
    qtbot.waitUntil(lambda: len(page.found) == 2)
    choose(qtbot, page, 5)
    click(qtbot, page.view.settle)
    assert adjudicator_of(disputed) is None


def test_blind_mode_hides_the_agent_of_what_is_not_judged(qtbot, context, disputed, shown):
    """Li Wei and Grace differ on 11, which Ada has not seen yet; nano has."""
    say(disputed, "Li Wei", {11: A})
    say(disputed, "Grace", {11: R})
    context.current.blind_mode.set_on(True)
    context.current.start()
    page = shown(DisagreementPage(context))
    choose(qtbot, page, 11)
    assert "nano" not in visible_text(page.view)
    assert "Hidden in blind mode" in visible_text(page.view)
    click(qtbot, page.sides["agent"])
    settled(qtbot, page)
    assert 11 not in [each.id for each in page.found]
    click(qtbot, page.sides["people"])
    settled(qtbot, page)
    choose(qtbot, page, 11)
    judge(qtbot, page, context, page.view.accept)
    qtbot.waitUntil(lambda: "nano" in visible_text(page.view))


def test_a_spectrum_that_cannot_be_read_says_why(qtbot, page, context, disputed):
    with disputed.database.writing() as connection:
        here = candidates.c.id == 5
        connection.execute(update(candidates).where(here).values(path="/nowhere/x.fits"))
    choose(qtbot, page, 5)
    qtbot.waitUntil(lambda: page.view.note.isVisible())
    assert "x.fits" in page.view.note.text()
