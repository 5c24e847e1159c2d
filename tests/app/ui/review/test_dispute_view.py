"""One dispute: all opinions side by side, judged as anywhere else."""

from dataclasses import replace

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from sqlalchemy import update

from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory import Step
from app.core.database.tables import candidates
from app.core.report.evidence import KeyLook
from app.core.session.records import Judgement, Opinion, Verdict
from app.core.statistics.adjudication import adjudicator_of, set_adjudicator
from app.ui.base.theme.style_sheet import apply
from app.ui.base.theme.theme import LIGHT
from app.ui.judge.verdict.verdict_bar import VerdictBar
from app.ui.review.disagreement_page import DisagreementPage
from app.ui.review.dispute_summary import dispute_details, disputes_between
from app.ui.review.dispute_view import (
    HEIGHT,
    DisputePlot,
    OpinionCard,
    agent_card,
    hidden_agent_card,
    person_card,
)
from tests.app.core.judged_sessions import A, R, say
from tests.app.ui.judge.agent.trajectories import SEVEN_B, record
from tests.app.ui.review.conftest import choose, judge, settled, show_side, tick, visible_text
from tests.app.ui.steps import click, let_go, shown_in, speaking, turn_wheel

WAVELENGTH = np.linspace(4000.0, 8000.0, 400)
FLUX = 3e-16 * (1.0 + WAVELENGTH / 8000.0)
SPECTRUM = Spectrum(wavelength=WAVELENGTH, flux=FLUX, flux_unit="erg/s/cm2/A")
FLAT = Spectrum(wavelength=WAVELENGTH, flux=np.ones(WAVELENGTH.size))
LOOK = KeyLook(label="Hα", range=(6500.0, 6600.0))


def test_ones_own_verdict_is_set_here_when_it_was_painted(qtbot, page, context, disputed):
    choose(qtbot, page, 3)
    qtbot.waitUntil(lambda: context.current.is_painted)
    context.current._painted_at = None
    click(qtbot, page.view.buttons[Verdict.REJECT])
    assert disputed.judgement(3).opinion.verdict is Verdict.ACCEPT
    for number in (5, 3):  # it is painted when it is shown again
        choose(qtbot, page, number)
    judge(qtbot, page, context, page.view.buttons[Verdict.REJECT])
    assert disputed.judgement(3).opinion.verdict is Verdict.REJECT
    assert context.current.candidate.id == 3
    settled(qtbot, page)
    qtbot.waitUntil(lambda: [each.id for each in page.found] == [5])


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
    show_side(qtbot, page, "agent")
    assert 11 not in [each.id for each in page.found]
    show_side(qtbot, page, "people")
    choose(qtbot, page, 11)
    judge(qtbot, page, context, page.view.buttons[Verdict.ACCEPT])
    qtbot.waitUntil(lambda: "nano" in visible_text(page.view))


def test_a_spectrum_that_cannot_be_read_says_why(qtbot, page, context, disputed):
    with disputed.database.writing() as connection:
        here = candidates.c.id == 5
        connection.execute(update(candidates).where(here).values(path="/nowhere/x.fits"))
    choose(qtbot, page, 5)
    qtbot.waitUntil(lambda: page.view.note.isVisible())
    assert "x.fits" in page.view.note.text()


def test_opinions_stand_side_by_side_in_the_list_and_its_view(page, qtbot, context):
    assert page.who.text() == "Ada, Li Wei" and page.list.item(0).toolTip() == "Ada ✓, Li Wei ✕"
    choose(qtbot, page, 3)
    seen = visible_text(page.view)
    for word in ("Ada", "✓ accepted", "Li Wei", "✕ rejected", "people disagree"):
        assert word in seen
    assert context.current.candidate.id == 3
    show_side(qtbot, page, "agents")
    choose(qtbot, page, 7)
    seen = visible_text(page.view)
    for word in ("Agent nano", "YES · p(YES) 0.90", "Agent measured", "NO · p(YES) 0.20", "Hα"):
        assert word in seen


def test_cards_of_a_person_an_agent_and_a_hidden_one(qtbot):
    long = "<b>" + "x" * 3000
    opinion = Opinion(verdict=Verdict.REJECT, confidence=3, flags=("noisy",), comment=long)
    given = Judgement(
        candidate_id=1, reviewer="Ada", opinion=opinion, at="2026-01-02T03:04:05", log_id=1
    )
    text = visible_text(shown_in(qtbot, person_card(given, is_adjudicator=True)))
    for part in ("Ada · adjudicator", "✕ rejected", "2026-01-02 03:04", "probable · noisy", "<b>"):
        assert part in text
    assert text.count("x") < 1300
    text = visible_text(shown_in(qtbot, agent_card(record(verdict="NO", p_yes=0.25), None)))
    for part in (f"Agent {SEVEN_B.name}", "✕ NO · p(YES) 0.25", "looks: 2", "Broad Hα; He II 4686"):
        assert part in text
    card = shown_in(qtbot, hidden_agent_card())
    assert visible_text(card) == "Agent Hidden in blind mode until you have judged it"


def test_reasons_of_a_panel_are_translated(qtbot, qapp):
    said = "nano-eye: NO, p 0.01: Hα weak.\nmeasured: YES, p 0.95: no 4000 Å break (ratio 1.10)."
    steps = (Step(kind="answer", turn=0, text=said, verdict="YES"),)
    with speaking("zh"):
        text = visible_text(shown_in(qtbot, agent_card(record(steps=steps), None)))
    assert "nano-eye：NO，p 0.01：" in text


def test_disputes_of_each_kind_and_details_of_one(disputed):
    found = {kind: disputes_between(disputed, kind) for kind in ("people", "agent", "agents")}
    ids = {kind: [each.id for each in summary.disputes] for kind, summary in found.items()}
    assert ids == {"people": [3, 5], "agent": [8], "agents": [7]}
    (both,) = found["agents"].models
    assert (both.n, both.opposed) == (1, 1) and found["people"].models == ()
    details = dispute_details(disputed, 7)
    assert details.candidate_id == 7
    assert [each.reviewer for each in details.dispute.judgements] == ["Ada", "Li Wei"]
    said = {each.model.name: (each.verdict, each.p_yes, each.looks) for each, _ in details.agents}
    opinions = {name: (*given, len(looks)) for name, (*given, looks) in said.items()}
    assert opinions == {"nano": ("YES", 0.9, 1), "measured": ("NO", 0.2, 1)}
    assert details.agents[0][1].label == "Hα"
    set_adjudicator(disputed, "Ada")
    assert disputes_between(disputed, "people", only_open=True).disputes == ()
    assert len(disputes_between(disputed, "people").disputes) == 2


@pytest.fixture
def plot(qtbot, context):
    made = shown_in(qtbot, DisputePlot(context.current_theme, "Spectrum"))
    made.show_spectrum(1, SPECTRUM, None)
    return made


def span(plot):
    return tuple(plot.getViewBox().viewRange()[0])


def test_the_axis_has_the_unit_of_the_file(plot):
    axis = plot.getPlotItem().getAxis("left")
    assert "Flux (10⁻¹⁶ erg s⁻¹ cm⁻² Å⁻¹)" in axis.labelText and axis.scale == pytest.approx(1e16)
    plot.show_spectrum(2, replace(SPECTRUM, flux=SPECTRUM.flux * 1e16, flux_unit=""), None)
    assert axis.labelText == "Relative flux" and axis.scale == 1.0


def test_the_wheel_zooms_until_a_double_click_or_another_object(qtbot, plot, context):
    whole = span(plot)
    turn_wheel(plot.viewport(), 3)
    assert span(plot)[1] - span(plot)[0] < 0.9 * (whole[1] - whole[0])
    qtbot.mouseDClick(plot.viewport(), Qt.MouseButton.LeftButton)
    let_go(qtbot)
    assert span(plot) == pytest.approx(whole)
    whole = span(plot)
    turn_wheel(plot.viewport(), 3)
    zoomed = span(plot)
    plot.show_spectrum(1, SPECTRUM, LOOK)
    assert span(plot) == pytest.approx(zoomed)
    plot.show_spectrum(2, replace(SPECTRUM), LOOK)
    assert span(plot) == pytest.approx(whole)


def test_each_spectrum_is_reported_once_it_was_painted(qtbot, context):
    plot = DisputePlot(context.current_theme, "Spectrum")
    painted = []
    plot.painted.connect(painted.append)
    plot.show_spectrum(3, FLAT, None)
    assert painted == []
    shown_in(qtbot, plot)
    qtbot.waitUntil(lambda: painted == [3])
    plot.show_spectrum(3, FLAT, None)
    plot.viewport().repaint()
    plot.show_nothing()
    plot.viewport().repaint()
    plot.show_spectrum(4, FLAT, None)
    qtbot.waitUntil(lambda: painted == [3, 4])


def test_the_agents_window_is_drawn_and_no_line_crosses_a_gap(qtbot, context):
    plot = shown_in(qtbot, DisputePlot(context.current_theme, "Spectrum"))
    plot.show_spectrum(1, FLAT, LOOK)
    items = plot.getPlotItem().items
    (region,) = (each for each in items if isinstance(each, pg.LinearRegionItem))
    (name,) = (each for each in items if isinstance(each, pg.TextItem))
    assert region.getRegion() == (6500.0, 6600.0) and name.toPlainText() == "Agent: Hα"
    plot = shown_in(qtbot, DisputePlot(context.current_theme, "Spectrum"))
    wavelength = np.concatenate([np.arange(4000.0, 5000.0), np.arange(6175.0, 7000.0)])
    plot.show_spectrum(1, Spectrum(wavelength=wavelength, flux=np.ones(wavelength.size)), None)
    (curve,) = (each for each in plot.getPlotItem().items if isinstance(each, pg.PlotDataItem))
    x, y = curve.getOriginalDataset()
    inside = (x > 5000.0) & (x < 6175.0)
    assert inside.sum() == 1 and np.isnan(y[inside]).all()


def test_in_large_text_neither_plot_nor_opinions_are_cut(qtbot, page, restyled):
    choose(qtbot, page, 3)
    for points in (10, 24):
        apply(restyled, LIGHT, points)
        page.resize(1280, 540)
        view, cards = page.view, page.view.findChildren(OpinionCard)
        qtbot.waitUntil(lambda: all(map(is_whole, cards)))  # noqa: B023 - awaited at once
        assert view.plot.height() >= HEIGHT and len(cards) >= 2
        is_all_seen = all(card.visibleRegion().boundingRect() == card.rect() for card in cards)
        assert is_all_seen or points > 10  # large text scrolls


def is_whole(card):
    labels = card.findChildren(QLabel)
    words = max(
        label.fontMetrics().horizontalAdvance(word)
        for label in labels
        for word in label.text().split()
    )
    room = min(label.contentsRect().width() for label in labels)
    return words <= room and card.height() >= card.heightForWidth(card.width())


def test_the_buttons_are_those_of_the_judging_page(qtbot, page, context):
    bar = shown_in(qtbot, VerdictBar(context), 1200, 60)
    choose(qtbot, page, 3)
    qtbot.waitUntil(lambda: page.view.buttons[Verdict.UNSURE].isEnabled())
    assert looks(page.view.buttons) == looks(bar.buttons)


def looks(buttons):
    return [
        (verdict, each.size(), each.font(), each.mark, each.text(), each.key)
        for verdict, each in buttons.items()
    ]
