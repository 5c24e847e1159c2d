"""The agreement page: figures, or what is missing for them."""

from __future__ import annotations

from PySide6.QtCore import QPoint

from app.core.session import verdict_log
from app.core.session.records import Opinion, Verdict
from app.ui.review.agreement_page import AgreementPage
from tests.app.core.judged_sessions import say
from tests.app.ui.review.conftest import visible_text


def test_with_nothing_judged_it_says_what_is_needed(qtbot, context, shown):
    page = shown(AgreementPage(context))
    seen = visible_text(page)
    assert "At least two people must judge the same objects" in seen
    assert "No agent has inspected anything" in seen
    assert "fifty verdicts" in seen
    assert not page.people.figure.isVisible()


def test_people_and_agent_are_compared(qtbot, judged_context, shown):
    page = shown(AgreementPage(judged_context))
    assert "Ada · Li Wei: 0." in page.people.figure.accessibleDescription()
    assert "Ada · nano: 0." in page.agents.figure.accessibleDescription()
    assert "S/N" in page.by_snr.figure.accessibleDescription()
    assert len(page.drift.figures) == 2
    assert "Not calibrated" in page.calibration.state.text()
    assert "judged blind" in page.calibration.figures.text()


def test_blind_mode_hides_the_agent_until_everything_is_judged(
    qtbot, judged_context, judged, shown
):
    judged_context.current.blind_mode.set_on(True)
    page = shown(AgreementPage(judged_context))
    assert "Blind mode" in visible_text(page.agents)
    assert "Blind mode" in visible_text(page.calibration)
    assert "nano" not in visible_text(page)
    assert "nano" not in page.by_snr.figure.accessibleDescription()
    assert page.calibration.model is None
    say(judged, "Ada", dict.fromkeys(range(51, 61), Verdict.REJECT))
    judged.record_verdict(51, Opinion(verdict=Verdict.ACCEPT))
    qtbot.waitUntil(lambda: page.calibration.model is not None)
    assert "nano" in page.agents.figure.accessibleDescription()


def test_kappa_is_named_beside_each_figure_and_noise_is_not_blamed_without_numbers(
    qtbot, context, session, shown
):
    say(session, "Ada", {1: Verdict.ACCEPT, 2: Verdict.REJECT, 3: Verdict.ACCEPT})
    say(session, "Li Wei", {1: Verdict.REJECT, 2: Verdict.REJECT, 3: Verdict.ACCEPT})
    page = shown(AgreementPage(context))
    assert page.by_snr.note.isVisible()
    assert "Most disagreements" not in page.by_snr.note.text()
    assert "Too few to tell whether noise matters" in page.by_snr.note.text()
    for card in (page.people, page.by_snr, page.agents):
        assert "appa" in card.note.text()


def test_large_text_puts_the_cards_below_one_another(qtbot, context, shown):
    page = shown(AgreementPage(context))
    beside = page.calibration.mapTo(page, QPoint(0, 0))
    assert beside.x() > page.people.width()
    font = page.font()
    font.setPointSizeF(24.0)
    page.setFont(font)
    qtbot.waitUntil(lambda: page.calibration.mapTo(page, QPoint(0, 0)).x() < page.people.width())
    assert page.calibration.mapTo(page, QPoint(0, 0)).y() > page.people.height()


def test_sub_classes_are_compared_by_level(qtbot, context, session, shown):
    for name, second in (("Li Wei", "DN/DN outburst"), ("Ada", "DN/WZ Sge")):
        for number, path in enumerate(("NL", second, "DN/DN donor"), 1):
            say_finer(session, name, number, path)
    page = shown(AgreementPage(context))
    assert page.subclasses.isVisible()
    told = page.subclasses.figure.accessibleDescription()
    assert "Ada · Li Wei · level 1: 1.00" in told
    assert "Ada · Li Wei · level 2: 0." in told


def say_finer(session, name, number, path):
    """As another person on another machine would say it."""
    opinion = Opinion(verdict=Verdict.ACCEPT, subclass=path)
    with session.database.writing() as connection:
        verdict_log.record(connection, number, verdict_log.reviewer_id(connection, name), opinion)
