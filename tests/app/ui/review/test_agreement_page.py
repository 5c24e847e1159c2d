"""The agreement page: figures, or what is missing for them."""

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLabel

from agent.confidence.scores import Estimate
from app.core.session import verdict_log
from app.core.session.records import Opinion, Verdict
from app.core.statistics.calibration import newest_calibration
from app.core.statistics.drift import Drift, VerdictBlock
from app.ui.base.theme.theme import DARK
from app.ui.judge.verdict.verdict_bar import VerdictCommands
from app.ui.review.agreement_numbers import agent_rows, compute_numbers, people_rows, snr_rows
from app.ui.review.agreement_page import AgreementPage, DriftCard
from app.ui.review.figures import Figure, FigureRow, draw_rows, shortened
from tests.app.core.judged_sessions import A, R, inspect, say
from tests.app.ui.review.conftest import settled, visible_text
from tests.app.ui.steps import click, heard, shown_in, write

NOTHING = Estimate(None, 0.0, 1.0)


def test_with_little_judged_it_says_what_is_needed_in_the_colours_of_the_theme(
    qtbot, context, session, shown
):
    session.record_verdict(1, Opinion(verdict=Verdict.REJECT))
    page = shown(AgreementPage(context))
    seen = visible_text(page)
    assert "At least two people must judge the same objects" in seen
    assert "No agent has inspected anything" in seen and "fifty verdicts" in seen
    assert not page.people.figure.isVisible()
    context.current_theme.use(DARK)
    background = page.people.figure.backgroundBrush().color().name()
    assert background == DARK.panel
    beside = page.calibration.mapTo(page, QPoint(0, 0))
    assert beside.x() > page.people.width()
    font = page.font()
    font.setPointSizeF(24.0)
    page.setFont(font)
    qtbot.waitUntil(lambda: page.calibration.mapTo(page, QPoint(0, 0)).x() < page.people.width())
    assert page.calibration.mapTo(page, QPoint(0, 0)).y() > page.people.height()


def test_people_and_agent_are_compared_and_calibrated(qtbot, judged_context, shown, judged):
    page = shown(AgreementPage(judged_context))
    assert "Ada · Li Wei: 0." in page.people.figure.accessibleDescription()
    assert "Ada · nano: 0." in page.agents.figure.accessibleDescription()
    assert "S/N" in page.by_snr.figure.accessibleDescription() and len(page.drift.figures) == 2
    assert "Not calibrated" in page.calibration.state.text()
    assert "judged blind" in page.calibration.figures.text()
    assert newest_calibration(judged, "nano") is None
    fit = page.calibration.fit
    told = heard(qtbot, judged_context.current.message, lambda: click(qtbot, fit))
    assert "is calibrated on" in told and newest_calibration(judged, "nano").is_fitted
    qtbot.waitUntil(lambda: "Calibrated with" in page.calibration.state.text())
    assert page.calibration.fit.isEnabled()
    card = page.calibration
    qtbot.waitUntil(lambda: card.plan is not None)
    wanted = card.precision
    write(qtbot, wanted, "99.9")
    qtbot.waitUntil(lambda: "99.9 %" in card.cut.text())
    assert "No cut for a precision of 99.9 % yet" in card.cut.text()
    write(qtbot, wanted, "60")
    qtbot.waitUntil(lambda: "60 %" in card.cut.text())
    assert card.plan.abstention.accept_from is not None


def test_verdicts_that_saw_the_answer_are_shown_as_such_and_blind_is_offered(
    qtbot, context, session, shown
):
    answers = dict.fromkeys(range(1, 9), ("YES", 0.9))
    inspect(session, "a-model", answers)
    inspect(session, context.agent.worker_model.name, answers, sha256="cd" * 32)
    say(session, "Ada", dict.fromkeys(range(1, 8), A) | {8: R}, shown={"p_yes": 0.9})
    page = shown(AgreementPage(context))
    assert "Ada · a-model · seen: " in page.agents.figure.accessibleDescription()
    assert {row.tone for row in agent_rows(page.found.statistics, "seen")} == {"dim"}
    card = page.calibration
    assert card.model.figures.model == context.agent.worker_model.name  # the one in use
    assert not card.fit.isVisible()  # which could not work
    VerdictCommands(context.current, context.commands, page)
    click(qtbot, page.judge_blind)
    assert context.current.blind_mode.is_on
    qtbot.waitUntil(lambda: not page.judge_blind.isVisible())


def test_blind_mode_hides_the_agent_until_everything_is_judged(
    qtbot, judged_context, judged, shown
):
    judged_context.current.blind_mode.set_on(True)
    page = shown(AgreementPage(judged_context))
    assert "Blind mode" in visible_text(page.agents)
    assert "Blind mode" in visible_text(page.calibration) and "nano" not in visible_text(page)
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
    assert page.by_snr.note.isVisible() and "Most disagreements" not in page.by_snr.note.text()
    assert "Too few to tell whether noise matters" in page.by_snr.note.text()
    for card in (page.people, page.by_snr, page.agents):
        assert "appa" in card.note.text()


def test_sub_classes_are_compared_by_level(qtbot, context, session, shown):
    for name, second in (("Li Wei", "DN/DN outburst"), ("Ada", "DN/WZ Sge")):
        for number, path in enumerate(("NL", second, "DN/DN donor"), 1):
            say_finer(session, name, number, path)
    page = shown(AgreementPage(context))
    assert page.subclasses.isVisible()
    told = page.subclasses.figure.accessibleDescription()
    assert "Ada · Li Wei · level 1: 1.00" in told and "Ada · Li Wei · level 2: 0." in told


def say_finer(session, name, number, path):
    """As another person on another machine would say it."""
    opinion = Opinion(verdict=Verdict.ACCEPT, subclass=path)
    with session.database.writing() as connection:
        verdict_log.record(connection, number, verdict_log.reviewer_id(connection, name), opinion)


def test_names_leave_room_to_the_intervals_and_rows_without_a_figure_are_empty(qtbot, context):
    figure = Figure(context.current_theme, "x")
    figure.draw(draw_rows, [FigureRow("Ada · Ben", Estimate(0.5, 0.2, 0.8), 12)])
    shown_in(qtbot, figure, 900, 100)
    names = figure.getPlotItem().getAxis("left")
    usual = names.maximumWidth()
    figure.window().resize(450, 100)
    qtbot.waitUntil(lambda: names.maximumWidth() < 0.8 * usual)
    assert len(shortened("x" * 200)) == 30
    figure = Figure(context.current_theme, "x")
    qtbot.addWidget(figure)
    figure.draw(draw_rows, [FigureRow("a", Estimate(None, 0.0, 1.0), 0)])
    below = FigureRow("b", Estimate(-0.4, -0.9, 0.1), 3)
    figure.draw(draw_rows, [below])
    assert figure.getPlotItem().viewRange()[0][0] < -0.9  # the whole interval
    figure.draw(draw_rows, [FigureRow("a", Estimate(None, 0.0, 1.0), 0)])
    texts = figure.getPlotItem().getAxis("right")._tickLevels
    assert texts == [[(0, "– · n = 0")]]


def test_a_new_verdict_is_counted_on_a_page_that_is_seen(qtbot, context, session, shown):
    page = shown(AgreementPage(context))
    say(session, "Li Wei", {1: A, 2: R})
    say(session, "Ada", {1: A})
    session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT))
    qtbot.waitUntil(lambda: page.people.figure.isVisible())
    settled(qtbot, page)
    assert page.found.statistics.people.pairs[0].every.n == 2
    page = AgreementPage(context)
    qtbot.addWidget(page)
    session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT))
    qtbot.wait(1)
    assert page.found is None


def test_rows_of_people_and_agent(judged):
    numbers = compute_numbers(judged)
    (people,) = people_rows(numbers.statistics, "all", "repeats")
    assert (people.name, people.n) == ("Ada · Li Wei", 50)
    names = [row.name for row in agent_rows(numbers.statistics, "seen")]
    assert names == ["Ada · nano", "Li Wei · nano"]
    assert [model.figures.model for model in numbers.models] == ["nano"]
    assert numbers.models[0].calibration is None and not numbers.is_all_judged
    statistics = compute_numbers(judged).statistics
    people = [row.name for row in snr_rows(statistics, "People", with_agent=False)]
    assert people and all(name.startswith("People · S/N ") for name in people)
    both = snr_rows(statistics, "People", with_agent=True)
    assert {row.tone for row in both[len(people) :]} == {"agent"}
    say(judged, "Grace", dict.fromkeys(range(1, 11), Verdict.REJECT))
    rows = people_rows(compute_numbers(judged).statistics, "all", "repeats")
    assert rows[0].name == "all" and len(rows) == 1 + 3
    judged_before = set(range(1, 51))
    say(judged, "Ada", dict.fromkeys(set(range(1, 61)) - judged_before, Verdict.REJECT))
    assert compute_numbers(judged).is_all_judged


def drift(*shares):
    blocks = tuple(
        VerdictBlock(
            n=25, since="", until="", accepted=Estimate(share, 0.0, 1.0), unsure=NOTHING,
            with_people=NOTHING, with_agent=Estimate(0.5, 0.0, 1.0), p_yes=0.5
        )
        for share in shares
    )  # fmt: skip
    return Drift(reviewer="Ada", blocks=blocks, accepted_by_chance=0.001, agent_by_chance=0.8)


def test_one_block_is_not_enough(qtbot, context):
    card = shown_in(qtbot, DriftCard(context))
    card.show_drift([drift(0.2)], with_agent=True)
    assert "At least fifty verdicts" in visible_text(card) and card.figures == []


def test_a_change_is_said_unless_the_agent_is_hidden(qtbot, context):
    card = shown_in(qtbot, DriftCard(context))
    card.show_drift([drift(0.2, 0.9)], with_agent=True)
    assert "The accepted fraction is not steady" in texts(card) and len(card.figures) == 1
    with_agent = len(curves(card))
    card.show_drift([drift(0.2, 0.9)], with_agent=False)
    qtbot.waitUntil(lambda: "The accepted fraction is not steady" not in texts(card))
    assert len(curves(card)) == with_agent - 1


def texts(card):
    return " ".join(each.text() for each in card.findChildren(QLabel))


def curves(card):
    return card.figures[0].getPlotItem().listDataItems()
