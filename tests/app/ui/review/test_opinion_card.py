"""Cards with the opinion of a person or an agent."""

from __future__ import annotations

from app.core.session.records import Judgement, Opinion, Verdict
from app.ui.review.dispute_summary import AgentOpinion
from app.ui.review.opinion_card import agent_card, hidden_agent_card, person_card
from tests.app.ui.review.conftest import visible_text
from tests.app.ui.steps import shown_in


def test_a_person_with_verdict_flags_and_comment(qtbot):
    opinion = Opinion(
        verdict=Verdict.REJECT, confidence=3, flags=("noisy",), comment="<b>" + "x" * 3000
    )
    given = Judgement(
        candidate_id=1, reviewer="Ada", opinion=opinion, at="2026-01-02T03:04:05", log_id=1
    )
    text = visible_text(shown_in(qtbot, person_card(given, is_adjudicator=True)))
    for part in ("Ada · adjudicator", "✕ rejected", "2026-01-02 03:04", "probable · noisy", "<b>"):
        assert part in text
    assert text.count("x") < 1300


def test_an_agent_with_its_answer(qtbot):
    opinion = AgentOpinion(
        model="nano",
        verdict="NO",
        p_yes=0.25,
        reasons="narrow lines",
        looks=3,
        look=None,
        stopped_by="answer",
    )
    text = visible_text(shown_in(qtbot, agent_card(opinion)))
    for part in ("Agent nano", "✕ NO · p(YES) 0.25", "looks: 3", "narrow lines"):
        assert part in text


def test_a_hidden_agent_says_only_that(qtbot):
    card = shown_in(qtbot, hidden_agent_card())
    assert visible_text(card) == "Agent Hidden in blind mode until you have judged it"
