"""The agent's proposal: one key away, hidden in blind mode."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.core.session.records import Verdict
from tests.app.ui.opinions import give_opinion
from tests.app.ui.steps import show_painted

LEFT = Qt.MouseButton.LeftButton


@pytest.mark.parametrize("answer, verdict", [("YES", Verdict.ACCEPT), ("NO", Verdict.REJECT)])
def test_the_agents_proposal_is_one_key_away(qtbot, bar, context, session, answer, verdict):
    give_opinion(session, 1, answer, 0.93)
    show_painted(qtbot, context)
    assert bar.proposal.text() == f"Agent: {answer}"
    assert "p(YES) 0.93" in bar.proposal.toolTip()
    assert bar.proposal.key == context.keymap.label("take_proposal")
    context.commands.run("take_proposal")
    assert session.judgement(1).opinion.verdict is verdict
    assert context.current.candidate.id == 2


def test_no_proposal_says_why(qtbot, bar, context, session):
    give_opinion(session, 1, None, None)
    show_painted(qtbot, context)
    assert not bar.proposal.isEnabled()
    with qtbot.waitSignal(context.current.message) as told:
        context.commands.run("take_proposal")
    assert "no proposal" in told.args[0]
    assert session.judgement(1) is None


def test_blind_mode_hides_the_proposal_and_its_width(qtbot, bar, context, session):
    give_opinion(session, 1, "YES", 0.93)
    show_painted(qtbot, context)
    width = bar.proposal.width()
    context.commands.run("blind")
    assert context.current.blind_mode.is_on
    assert "YES" not in bar.proposal.text() + bar.proposal.toolTip() + bar.proposal.mark
    assert bar.proposal.width() == width
    with qtbot.waitSignal(context.current.message) as told:
        context.commands.run("take_proposal")
    assert "Blind" in told.args[0]
    assert session.judgement(1) is None
    qtbot.mouseClick(bar.proposal, LEFT)  # the way to it
    assert "YES" in bar.proposal.text()


def test_no_answer_is_cut_and_none_shows_in_the_width(qtbot, bar, context, session):
    give_opinion(session, 1, "YES", 0.93)
    for points in (10.0, 24.0):
        font = bar.proposal.font()
        font.setPointSizeF(points)
        bar.proposal.setFont(font)
        widths = set()
        for number in (1, 2):
            show_painted(qtbot, context, number)
            shown = bar.proposal
            widths.add(shown.sizeHint().width())
            assert shown.width_of(shown.mark, shown.text(), shown.key) <= max(widths)
        assert len(widths) == 1
