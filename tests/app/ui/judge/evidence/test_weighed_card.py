"""The card that weighs catalogues: both p(YES) apart, gaps told, blind mode kept."""

import pytest

from agent.tasks.catalogue import bundled_task
from app.core.evidence.store import answers
from app.core.session.records import Change
from app.services.catalogues.answer import Match, answer_of, failed
from app.ui.judge.evidence.weighed_card import UNKNOWN, WeighedCard
from tests.app.core.evidence.test_weighing import inspected

CV = bundled_task("CV")
IDS = [claim.id for claim in CV.catalogue]
STAR = {"g": 15.0, "parallax": 10.0, "parallax_error": 0.02, "bp_rp": 0.5, "ruwe": 1.0}


def said(**values):
    return answer_of([Match(values=values, separation_arcsec=0.1)])


@pytest.fixture
def card(qtbot):
    made = WeighedCard(CV, None)
    qtbot.addWidget(made)
    return made


def show(card, answers, p_yes=0.5, *, is_opinion_hidden=False, hidden=()):
    card.show_weights(
        answers, p_yes, is_opinion_hidden=is_opinion_hidden, hides=lambda name: name in hidden
    )
    return {
        name: (weight.text(), sentence.text())
        for name, weight, sentence in zip(IDS, card.weights, card.sentences, strict=True)
    }


def test_both_probabilities_and_each_claim_with_its_weight(card):
    told = show(card, {"gaia": said(**STAR), "vsx": said(type="UGSU"), "simbad": said(type="CV*")})
    assert told["below_main_sequence"] == (
        "+1.0", "absolute G 10.0, fainter than 4.4: below the main sequence"
    )  # fmt: skip
    assert told["vsx_type"] == ("+1.5", "VSX says UGSU")
    assert told["simbad_type"][0] == "–" and "repeats another claim" in told["simbad_type"][1]
    assert card.spectrum.text() == "0.50" and card.combined.text() == "0.95"
    assert card.note.text() == "+2.9"
    for label in (card.sentences[0], card.weights[0]):
        assert "Abril" in label.toolTip()
        assert label.toolTip().endswith("Weights, by judgement: +1.0 or \N{MINUS SIGN}1.2")


def test_what_nobody_said_is_told_and_counts_nothing(card):
    told = show(card, {"vsx": failed("busy"), "simbad": answer_of([])})
    assert {weight for weight, _ in told.values()} == {"–"}
    assert told["vsx_type"][1] == "VSX failed, so nobody knows"
    assert told["simbad_type"][1] == "SIMBAD has nothing there, which counts nothing"
    assert told["blue"][1] == "BP-RP: Gaia not asked"
    assert card.spectrum.text() == "0.50" and card.combined.text() == UNKNOWN
    assert card.note.text() == "nothing to weigh"
    told = show(card, {"simbad": said(type="*")}, None)
    assert told["simbad_type"][1] == "SIMBAD *: tells nothing of this class"
    assert card.spectrum.text() == UNKNOWN


def test_blind_mode_hides_what_gives_the_class_or_the_opinion_away(card):
    every = {"gaia": said(**STAR), "vsx": said(type="UGSU"), "simbad": answer_of([])}
    told = show(card, every, is_opinion_hidden=True, hidden=("vsx", "simbad"))
    assert told["below_main_sequence"][0] == "+1.0"
    for name in ("vsx_type", "simbad_type"):
        assert told[name][0] == "–" and told[name][1].endswith("hidden until your verdict")
    assert card.spectrum.text() == card.combined.text() == UNKNOWN
    assert card.note.text() == "hidden"
    told = show(card, {"vsx": failed("busy")}, hidden=("vsx", "simbad"))
    assert "failed" in told["vsx_type"][1]


def test_in_the_window_agent_panel_queue_and_dock_agree(evidence):
    evidence.show()
    person, panel = evidence.person, evidence.panel
    assert not panel.weighed.isVisible()
    inspected(person.session, 1, 0.6)
    person.session.changed.emit(Change(aspect="inspection", candidate_ids=frozenset({1})))
    evidence.turn_on("gaia", "vsx", "simbad")
    person.wait(lambda: len(answers(person.session, 1)) == 3)
    candidate = person.session.candidate(1)  # by all three, which the page hears of in turn
    person.wait(lambda: person.current.candidate.p_combined == candidate.p_combined)
    assert candidate.agent_p_yes == 0.6 and candidate.p_combined > 0.6
    combined = f"{candidate.p_combined:.2f}"
    person.wait(lambda: panel.weighed.combined.text() == combined)
    assert panel.weighed.spectrum.text() == "0.60"
    queue = person.view.judging.docks["queue"].part
    queue.store.show("p_combined", True)
    column = queue.model.column_of("p_combined")
    person.wait(lambda: queue.model.data(queue.model.index(0, column)) == combined)
    assert queue.columns.is_shown(column)
    person.current.blind_mode.set_on(True)
    assert not queue.columns.is_shown(column)
    person.wait(lambda: panel.weighed.combined.text() == UNKNOWN)
