"""Agreement and calibration: figures of what was judged, words where there is nothing yet."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from agent.confidence.scores import Estimate
from agent.tasks.catalogue import find_task
from app.core.session.records import Opinion, Verdict
from app.core.session.session import new_session
from app.core.statistics.calibration import newest_calibration
from app.ui.review.agreement_page import AgreementPage
from app.ui.review.figures import Figure, FigureRow, draw_rows, shortened
from app.ui.theme.theme import DARK
from tests.app.core.judged_sessions import A, R, drawn_verdicts, inspect, say
from tests.app.ui.candidates import take_sample
from tests.app.ui.conftest import opened_context
from tests.app.ui.review.conftest import settled


def words(page):
    return " ".join(each.text() for each in page.findChildren(QLabel) if each.isVisible())


@pytest.fixture
def judged(tmp_path):
    """Sixty objects, two people, and an agent that is right most of the time."""
    rng = np.random.default_rng(5)
    truth = rng.random(60) < 0.4
    with new_session(tmp_path / "judged.speco3", find_task("CV"), "Ada") as session:
        take_sample(session, 60)
        mine = drawn_verdicts(rng, truth, 0.95)
        say(session, "Ada", {number: each for number, each in mine.items() if number <= 50})
        theirs = drawn_verdicts(rng, truth, 0.9)
        say(session, "Li Wei", {number: each for number, each in theirs.items() if number <= 55})
        p = np.clip(np.where(truth, 0.75, 0.25) + rng.normal(0, 0.2, 60), 0.01, 0.99)
        told = {n: ("YES" if x > 0.5 else "NO", x) for n, x in enumerate(p.tolist(), 1)}
        inspect(session, "nano", told)
        yield session


@pytest.fixture
def judged_context(qtbot, judged):
    with opened_context(judged) as made:
        yield made


def test_with_nothing_judged_it_says_what_is_needed(qtbot, context, shown):
    page = shown(AgreementPage(context))
    seen = words(page)
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


def test_fitting_keeps_a_calibration_and_says_so(qtbot, judged_context, judged, shown):
    page = shown(AgreementPage(judged_context))
    assert newest_calibration(judged, "nano") is None
    with qtbot.waitSignal(judged_context.current.message) as told:
        qtbot.mouseClick(page.calibration.fit, Qt.MouseButton.LeftButton)
    assert "is calibrated on" in told.args[0]
    assert newest_calibration(judged, "nano").is_fitted
    qtbot.waitUntil(lambda: "Calibrated with" in page.calibration.state.text())
    assert page.calibration.fit.isEnabled()


def test_a_wanted_precision_gives_a_cut_or_says_what_is_missing(qtbot, judged_context, shown):
    page = shown(AgreementPage(judged_context))
    card = page.calibration
    qtbot.waitUntil(lambda: card.plan is not None)
    wanted = card.precision
    wanted.setFocus()
    wanted.selectAll()
    qtbot.keyClicks(wanted, "99.9")
    qtbot.keyClick(wanted, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "99.9 %" in card.cut.text())
    assert "No cut for a precision of 99.9 % yet" in card.cut.text()
    wanted.selectAll()
    qtbot.keyClicks(wanted, "60")
    qtbot.keyClick(wanted, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "60 %" in card.cut.text())
    assert card.plan.abstention.accept_from is not None


def test_a_new_verdict_is_counted(qtbot, context, session, shown):
    page = shown(AgreementPage(context))
    say(session, "Li Wei", {1: A, 2: R})
    say(session, "Ada", {1: A})
    session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT))
    qtbot.waitUntil(lambda: page.people.figure.isVisible())
    settled(qtbot, page)
    assert page.found.statistics.people.pairs[0].every.n == 2


def test_blind_mode_hides_the_agent_until_everything_is_judged(qtbot, judged_context, judged, shown):
    judged_context.current.blind_mode.set_on(True)
    page = shown(AgreementPage(judged_context))
    assert "Blind mode" in words(page.agents)
    assert "Blind mode" in words(page.calibration)
    assert "nano" not in words(page)
    assert "nano" not in page.by_snr.figure.accessibleDescription()
    assert page.calibration.model is None
    say(judged, "Ada", dict.fromkeys(range(51, 61), Verdict.REJECT))
    judged.record_verdict(51, Opinion(verdict=Verdict.ACCEPT))
    qtbot.waitUntil(lambda: page.calibration.model is not None)
    assert "nano" in page.agents.figure.accessibleDescription()


def test_figures_follow_the_theme(qtbot, context, shown):
    page = shown(AgreementPage(context))
    context.current_theme.use(DARK)
    background = page.people.figure.backgroundBrush().color().name()
    assert background == DARK.panel


def test_a_page_nobody_looks_at_works_nothing_out(qtbot, context, session):
    page = AgreementPage(context)
    qtbot.addWidget(page)
    session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT))
    qtbot.wait(1)
    assert page.found is None


def test_names_are_cut_and_rows_without_a_figure_are_left_empty(qtbot, context):
    assert len(shortened("x" * 200)) == 30
    figure = Figure(context.current_theme, "x")
    qtbot.addWidget(figure)
    figure.draw(draw_rows, [FigureRow("a", Estimate(None, 0.0, 1.0), 0)])
    texts = figure.getPlotItem().getAxis("right")._tickLevels
    assert texts == [[(0, "– · n = 0")]]
