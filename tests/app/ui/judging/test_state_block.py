"""The saved verdict, by mark and word, and what was saved last."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.core.session.records import Opinion, Verdict
from tests.app.ui.steps import painted, show_painted

LEFT = Qt.MouseButton.LeftButton


def test_a_click_judges_and_is_confirmed(qtbot, bar, context, session):
    show_painted(qtbot, context)
    qtbot.mouseClick(bar.buttons[Verdict.REJECT], LEFT)
    assert session.judgement(1).opinion.verdict is Verdict.REJECT
    assert "Saved: rejected" in bar.state.saved.full_text
    assert session.candidate(1).object_id in bar.state.saved.full_text
    assert " s" in bar.state.saved.full_text.rsplit("·", 1)[1]
    painted(qtbot, context, 2)
    assert bar.state.verdict.text() == "not judged"


def test_the_saved_verdict_has_a_mark_and_a_word(qtbot, bar, context, session):
    session.record_verdict(3, Opinion(verdict=Verdict.UNSURE))
    show_painted(qtbot, context, 3)
    assert [verdict for verdict, each in bar.buttons.items() if each.isChecked()] == ["UNSURE"]
    assert bar.state.verdict.text() == "? unsure"
    context.current.undo()
    assert not any(each.isChecked() for each in bar.buttons.values())
    assert "Undone: not judged" in bar.state.saved.full_text


def test_what_was_saved_is_not_told_beside_a_verdict_of_another(qtbot, bar, context, session):
    session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT))
    show_painted(qtbot, context, 2)
    qtbot.mouseClick(bar.buttons[Verdict.UNSURE], LEFT)
    painted(qtbot, context, 3)
    assert "Saved: unsure" in bar.state.saved.full_text
    for number in (2, 1):
        context.current.previous()
        painted(qtbot, context, number)
    assert not bar.state.saved.full_text
    assert bar.state.verdict.text() == "✓ accepted"


def test_a_confirmation_moves_nothing(qtbot, bar, context, session):
    show_painted(qtbot, context)
    before = [each.geometry() for each in (*bar.buttons.values(), bar.confidence, bar.undo)]
    context.commands.run("accept_stay")
    assert bar.state.saved.full_text
    after = [each.geometry() for each in (*bar.buttons.values(), bar.confidence, bar.undo)]
    assert after == before


@pytest.mark.parametrize(
    "act", ["accept_stay", "reject_stay", "unsure_stay", "undo", "confidence_2"]
)
def test_in_its_least_room_an_act_is_told_whole(qtbot, bar, context, session, act):
    show_painted(qtbot, context)
    context.commands.run("unsure_stay")
    context.commands.run(act)
    state = bar.state
    state.resize(state.minimumSizeHint())
    state.layout().activate()
    assert state.saved.text()
    assert state.saved.text() in state.saved.full_text
    assert "…" not in state.saved.text()
    assert state.saved.full_text.startswith(state.saved.text())
    state.resize(1000, state.height())
    state.layout().activate()
    assert state.saved.text() == state.saved.full_text
