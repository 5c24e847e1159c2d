"""Whether verdicts change in the course of a session, one figure per person."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

from agent.confidence.scores import Estimate
from app.core.statistics.drift import Drift, VerdictBlock
from app.ui.review.drift_card import DriftCard
from tests.app.ui.review.conftest import visible_text
from tests.app.ui.steps import shown_in

NOTHING = Estimate(None, 0.0, 1.0)


def drift(*shares):
    blocks = tuple(
        VerdictBlock(
            n=25, since="", until="", accepted=Estimate(share, 0.0, 1.0), unsure=NOTHING,
            with_people=NOTHING, with_agent=Estimate(0.5, 0.0, 1.0), p_yes=0.5,
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
