"""Pages that have nothing to show say why, in the middle, and lead on."""

import pytest

from app.ui.base.theme.theme import THEMES, CurrentTheme
from app.ui.review.agent_faults_page import AgentFaultsPage
from app.ui.review.agreement_page import AgreementPage
from app.ui.review.disagreement_page import DisagreementPage
from app.ui.review.figures import Figure
from app.ui.review.history_page import HistoryPage
from tests.app.ui.steps import click, shown_in

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
    qtbot.waitUntil(lambda: is_in_the_middle(state))
    qtbot.waitUntil(lambda: state.height() > 0.6 * page.height())
    click(qtbot, state.buttons[0])
    assert len(ran) == 1


def is_in_the_middle(state):
    middle, reason = state.rect().center(), state.reason.geometry()
    whole = reason.united(state.buttons[-1].geometry()).center()
    half_a_button = 30
    return abs(whole.y() - middle.y()) < half_a_button and abs(reason.center().x() - middle.x()) < 5


def test_a_figure_has_the_ground_of_its_card_before_it_is_drawn(qtbot):
    for theme in THEMES.values():
        figure = shown_in(qtbot, Figure(CurrentTheme(theme), "p(YES)"))
        assert figure.backgroundBrush().color().name() == theme.panel
