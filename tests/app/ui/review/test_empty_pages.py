"""Pages that have nothing to show say why, in the middle, and lead on."""

from __future__ import annotations

import pytest

from app.ui.review.agent_faults_page import AgentFaultsPage
from app.ui.review.agreement_page import AgreementPage
from app.ui.review.disagreement_page import DisagreementPage
from app.ui.review.history_page import HistoryPage
from tests.app.ui.steps import click

PAGES = {
    AgentFaultsPage: ("Judge",),
    AgreementPage: ("Judge", "Run the agent on the whole list", "Merge sessions of colleagues"),
    DisagreementPage: ("Share the list out", "Merge sessions of colleagues"),
    HistoryPage: ("Judge",),
}


@pytest.mark.parametrize("kind", PAGES)
def test_the_reason_is_in_the_middle_with_a_way_on(kind, qtbot, context, shown):
    ran = []
    for name in ("judging_page", "run_queue", "share_out", "merge"):
        context.commands.add(name, lambda name=name: ran.append(name))
    page = shown(kind(context))
    state = page.empty
    qtbot.waitUntil(lambda: state.isVisible() and state.reason.height() > 0)
    assert tuple(each.text() for each in state.buttons) == PAGES[kind]
    middle = state.rect().center()
    texts = state.reason.geometry().united(state.buttons[-1].geometry())
    assert abs(texts.center().y() - middle.y()) < 30  # half a line and a button
    assert abs(state.reason.geometry().center().x() - middle.x()) < 5
    assert state.height() > 0.6 * page.height()
    click(qtbot, state.buttons[0])
    assert len(ran) == 1
