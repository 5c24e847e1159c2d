"""The verdict bar: buttons record verdicts; comment and flags, of this object or the one before."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication, QLabel

from app.core.inspections.store import add_inspection
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.ui.judge.verdict.verdict_bar import CommentBox, VerdictBar
from tests.app.core.inspected import panel_said
from tests.app.ui import steps
from tests.app.ui.conftest import opened_context
from tests.app.ui.steps import (
    click,
    give_opinion,
    painted,
    said,
    show_painted,
    shown_in,
    start_over,
)


def test_buttons_and_commands_judge_what_is_drawn(qtbot, bar, context, session, tmp_path):
    context.current.go_to(1)
    click(qtbot, bar.buttons[Verdict.ACCEPT])
    assert session.judgement(1) is None and not bar.buttons[Verdict.ACCEPT].isChecked()
    # Every verdict has an action.
    start_over(qtbot, context)  # Undo and redo by click
    context.commands.run("accept")
    painted(qtbot, context, 2)
    click(qtbot, bar.undo)
    assert session.judgement(1) is None
    click(qtbot, bar.redo)
    assert session.judgement(1).opinion.verdict is Verdict.ACCEPT
    start_over(qtbot, context)  # Confidence by action and by click; its ends are named
    ends = {each.text(): each.x() for each in bar.confidence.findChildren(QLabel)}
    four, nought = (bar.confidence.buttons[value].x() for value in (4, 0))
    assert ends["sure"] < four < nought < ends["none"]
    context.commands.run("confidence_3")
    assert bar.confidence.buttons[3].isChecked()
    click(qtbot, bar.confidence.buttons[4])
    context.commands.run("accept_stay")
    assert session.judgement(1).opinion.confidence == 4
    click(qtbot, bar.confidence.buttons[4])  # pressed again: not given
    assert session.judgement(1).opinion == Opinion(verdict=Verdict.ACCEPT)
    assert not bar.confidence.buttons[4].isChecked()
    start_over(qtbot, context)  # Buttons show rebound keys
    assert bar.buttons[Verdict.ACCEPT].key == "A"
    context.keymap.rebind("accept", ["J"])
    assert bar.buttons[Verdict.ACCEPT].key == "J"
    start_over(qtbot, context)  # An unreadable spectrum disables the verdict buttons
    context.current._set_spectrum(None, "no such file")
    assert not any(each.isEnabled() for each in bar.buttons.values())
    assert "unreadable" in bar.state.verdict.text()
    show_painted(qtbot, context, 2)
    assert all(each.isEnabled() for each in bar.buttons.values())


def test_a_read_only_session_disables_all_buttons(qtbot, session, tmp_path):
    session.close()
    with (
        open_session(tmp_path / "night.speco3", "Ada", read_only=True) as closed,
        opened_context(closed) as context,
    ):
        bar = steps.shown_in(qtbot, VerdictBar(context))
        show_painted(qtbot, context)
        assert "read-only" in bar.state.saved.full_text
        assert not any(each.isEnabled() for each in (*bar.buttons.values(), bar.undo))
        with qtbot.waitSignal(context.current.failed):
            context.commands.run("blind")


def test_no_answer_is_cut_and_none_shows_in_the_width(qtbot, bar, context, session):
    assert bar.minimumSizeHint().width() <= 620
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


@pytest.mark.parametrize("width", [1280, 1440, 1600])
def test_three_flags_need_no_second_row(qtbot, context, width):
    bar = steps.shown_in(qtbot, VerdictBar(context), width, 40)
    show_painted(qtbot, context)
    assert bar.heightForWidth(width) < 50
    flags = bar.comment.flags
    for name in ("noisy", "velocity", "calibration"):
        context.current.toggle_flag(name)
        parts = (*flags.chips.values(), flags.rest)
        qtbot.waitUntil(lambda parts=parts: any(each.isVisible() for each in parts))
        QApplication.processEvents()
        assert bar.heightForWidth(width) < 50
    assert len(flags.chips) == 3 or flags.rest.isVisible()
    bar.resize(560, 200)
    qtbot.waitUntil(lambda: len(flags.chips) == 3)  # in rows of their own there is room


def test_the_saved_verdict_has_a_mark_and_a_word(qtbot, bar, context, session):
    show_painted(qtbot, context)
    click(qtbot, bar.buttons[Verdict.REJECT])
    assert session.judgement(1).opinion.verdict is Verdict.REJECT
    assert "Saved: rejected" in bar.state.saved.full_text
    assert session.candidate(1).object_id in bar.state.saved.full_text
    assert " s" in bar.state.saved.full_text.rsplit("·", 1)[1]
    painted(qtbot, context, 2)
    assert bar.state.verdict.text() == "not judged"
    start_over(qtbot, context)
    session.record_verdict(3, Opinion(verdict=Verdict.UNSURE))
    show_painted(qtbot, context, 3)
    assert [verdict for verdict, each in bar.buttons.items() if each.isChecked()] == ["UNSURE"]
    assert bar.state.verdict.text() == "? unsure"
    context.current.undo()
    assert not any(each.isChecked() for each in bar.buttons.values())
    assert "Undone: not judged" in bar.state.saved.full_text
    start_over(qtbot, context)
    session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT))
    show_painted(qtbot, context, 2)
    click(qtbot, bar.buttons[Verdict.UNSURE])
    painted(qtbot, context, 3)
    assert "Saved: unsure" in bar.state.saved.full_text
    for number in (2, 1):
        context.current.previous()
        painted(qtbot, context, number)
    assert not bar.state.saved.full_text and bar.state.verdict.text() == "✓ accepted"


def test_acts_are_told_whole_and_move_nothing(qtbot, bar, context, session):
    show_painted(qtbot, context)
    before = [each.geometry() for each in (*bar.buttons.values(), bar.confidence, bar.undo)]
    context.commands.run("accept_stay")
    assert bar.state.saved.full_text
    after = [each.geometry() for each in (*bar.buttons.values(), bar.confidence, bar.undo)]
    assert after == before
    for act in ["accept_stay", "reject_stay", "unsure_stay", "undo", "confidence_2"]:
        start_over(qtbot, context)
        context.commands.run("unsure_stay")
        context.commands.run(act)
        state = bar.state
        state.resize(state.minimumSizeHint())
        state.layout().activate()
        assert state.saved.text() and state.saved.text() in state.saved.full_text
        assert "…" not in state.saved.text()
        assert state.saved.full_text.startswith(state.saved.text())
        state.resize(1000, state.height())
        state.layout().activate()
        assert state.saved.text() == state.saved.full_text


def test_the_agents_proposal_is_one_key_away_unless_there_is_none_or_it_is_hidden(
    qtbot, bar, context, session
):
    give_opinion(session, 1, None, None)
    show_painted(qtbot, context)
    assert not bar.proposal.isEnabled()
    assert "no proposal" in said(qtbot, context, "take_proposal") and session.judgement(1) is None
    for answer, verdict in [("YES", Verdict.ACCEPT), ("NO", Verdict.REJECT)]:
        start_over(qtbot, context)
        give_opinion(session, 1, answer, 0.93)
        show_painted(qtbot, context)
        assert bar.proposal.text() == f"Agent: {answer}" and "p(YES) 0.93" in bar.proposal.toolTip()
        assert bar.proposal.key == context.keymap.label("take_proposal")
        context.commands.run("take_proposal")
        assert session.judgement(1).opinion.verdict is verdict and context.current.candidate.id == 2
    start_over(qtbot, context)
    add_inspection(session, 1, panel_said("NO", "YES"))
    show_painted(qtbot, context)
    qtbot.waitUntil(lambda: bar.proposal.text() == "Agent: YES ≠")
    assert "Members disagree: nano NO, measured YES" in bar.proposal.toolTip()
    width = bar.proposal.width()
    context.commands.run("blind")
    assert context.current.blind_mode.is_on
    assert "YES" not in bar.proposal.text() + bar.proposal.toolTip() + bar.proposal.mark
    assert bar.proposal.width() == width
    assert "Blind" in said(qtbot, context, "take_proposal") and session.judgement(1) is None
    click(qtbot, bar.proposal)  # the way to it
    assert "YES" in bar.proposal.text()


def type_comment(qtbot, context, box, text):
    context.commands.run("comment")
    qtbot.waitUntil(box.edit.hasFocus)
    qtbot.keyClicks(box.edit, text)


def test_a_comment_is_saved_by_enter_and_by_leaving(qtbot, box, context, session):
    show_painted(qtbot, context)
    type_comment(qtbot, context, box, "left")
    box.edit.clearFocus()
    assert session.judgement(1).opinion.comment == "left" and len(list(session.history())) == 1
    start_over(qtbot, context)  # Enter saves and gives the focus back
    type_comment(qtbot, context, box, "axu ")
    composed = QInputMethodEvent()  # as Chinese is typed
    composed.setCommitString("双峰 Hα")
    QApplication.sendEvent(box.edit, composed)
    qtbot.keyClick(box.edit, Qt.Key.Key_Return)
    assert session.judgement(1).opinion == Opinion(comment="axu 双峰 Hα")
    assert not box.edit.hasFocus() and context.current.candidate.id == 1
    start_over(qtbot, context)  # Typed text stays with its candidate
    # The candidate changes while the field keeps the focus.
    show_painted(qtbot, context)
    type_comment(qtbot, context, box, "for one")
    context.current.go_to(4)
    assert box.edit.text() == "" and session.judgement(1).opinion.comment == "for one"
    qtbot.keyClicks(box.edit, "for four")
    context.current.previous()
    box.edit.clearFocus()
    assert session.judgement(4).opinion.comment == "for four"
    assert session.judgement(1).opinion.comment == "for one" and session.judgement(3) is None
    start_over(qtbot, context)  # Moving on with the field open
    type_comment(qtbot, context, box, "one")
    context.current.next()
    painted(qtbot, context, 2)
    qtbot.keyClicks(box.edit, "two")
    qtbot.keyClick(box.edit, Qt.Key.Key_Return)
    comments = [session.judgement(number).opinion.comment for number in (1, 2)]
    assert comments == ["one", "two"]
    start_over(qtbot, context)  # Standard comments are added to what is there
    context.settings.change(comments=("mine & yours",))
    show_painted(qtbot, context)
    context.current.set_comment("typed")
    click(qtbot, box.standard)
    qtbot.waitUntil(box.menu.isVisible)
    first = box.menu.actions()[0]
    assert first.text() == "mine && yours"
    first.trigger()
    first.trigger()  # once is enough
    box.menu.close()
    assert session.judgement(1).opinion.comment == "typed; mine & yours"
    assert box.edit.text() == "typed; mine & yours"


def test_a_verdict_by_mouse_saves_the_comment(qtbot, box, context, session):
    bar = shown_in(qtbot, VerdictBar(context))
    show_painted(qtbot, context)
    box.activateWindow()
    type_comment(qtbot, context, box, "with it")
    click(qtbot, bar.buttons[Verdict.ACCEPT])
    opinion = session.judgement(1).opinion
    assert (opinion.verdict, opinion.comment) == (Verdict.ACCEPT, "with it")


def test_a_read_only_session_takes_no_comment(qtbot, session, tmp_path):
    session.record_verdict(1, Opinion(comment="kept"))
    session.close()
    with (
        open_session(tmp_path / "night.speco3", "Ada", read_only=True) as closed,
        opened_context(closed) as context,
    ):
        box = shown_in(qtbot, CommentBox(context))
        show_painted(qtbot, context)
        assert box.edit.text() == "kept"
        for name in ("comment", "flags"):
            assert "read-only" in said(qtbot, context, name)
        qtbot.keyClicks(box.edit, "more")
        context.current.go_to(2)
        assert context.current.candidate.id == 2


def test_without_a_candidate_there_is_no_comment(qtbot, box, context):
    context.commands.run("comment")
    assert not box.edit.isEnabled()
    context.commands.run("flags")
    assert not box.flags.menu.isVisible()


Key = Qt.Key
SHIFT = Qt.KeyboardModifier.ShiftModifier


def test_a_comment_goes_to_the_object_just_judged(qtbot, desk, context, session):
    desk.accept(qtbot, 1)
    desk.press(Key.Key_C, SHIFT)
    edit = desk.bar.previous.edit
    qtbot.waitUntil(edit.hasFocus)
    assert session.candidate(1).object_id in desk.bar.comment._over_title.text()
    assert not desk.bar.comment.edit.isVisible()
    qtbot.keyClicks(edit, "two peaks ax")
    with qtbot.waitSignal(context.current.message) as said:
        desk.press(Key.Key_Return)
    assert session.candidate(1).object_id in said.args[0]
    assert session.judgement(1).opinion == Opinion(verdict=Verdict.ACCEPT, comment="two peaks ax")
    assert session.judgement(2) is None and context.current.candidate.id == 2
    assert desk.bar.comment.edit.isVisible()
    desk.press(Key.Key_C, SHIFT)  # what is there can be changed
    qtbot.waitUntil(edit.hasFocus)
    assert edit.text() == "two peaks ax"
    desk.press(Key.Key_Escape)
    assert not edit.isVisible()
    desk.press(Key.Key_X)
    assert session.judgement(2).opinion.verdict is Verdict.REJECT
    context.commands.run("undo")
    context.commands.run("undo")
    assert session.judgement(1).opinion == Opinion(verdict=Verdict.ACCEPT)


def test_what_is_typed_stays_with_its_object_and_lines_close(qtbot, desk, context, session):
    desk.accept(qtbot, 1)
    desk.press(Key.Key_C, SHIFT)
    edit = desk.bar.previous.edit
    qtbot.waitUntil(edit.hasFocus)
    qtbot.keyClicks(edit, "blend")
    click(qtbot, desk.bar.buttons[Verdict.REJECT])
    painted(qtbot, context, 3)
    assert session.judgement(1).opinion.comment == "blend"
    assert session.judgement(2).opinion == Opinion(verdict=Verdict.REJECT)
    assert not edit.isVisible()
    desk.start_over(qtbot)  # A comment on the object on screen is not lost
    desk.accept(qtbot, 1)
    desk.press(Key.Key_C)
    qtbot.waitUntil(desk.bar.comment.edit.hasFocus)
    qtbot.keyClicks(desk.bar.comment.edit, "for two")
    desk.press(Key.Key_Escape)
    desk.press(Key.Key_C, SHIFT)
    qtbot.waitUntil(desk.bar.previous.edit.hasFocus)
    qtbot.keyClicks(desk.bar.previous.edit, "for one")
    desk.press(Key.Key_Return)
    assert session.judgement(1).opinion.comment == "for one"
    assert session.judgement(2).opinion.comment == "for two"
    assert desk.bar.comment.edit.text() == "for two"
    desk.start_over(qtbot)  # A line that was not touched closes too
    previous, flags = desk.bar.previous, desk.bar.comment.flags
    desk.accept(qtbot, 1)
    for key, held, menu, line in (
        (Key.Key_C, SHIFT, None, previous.edit),
        (Key.Key_G, SHIFT, previous.menu, previous.custom),
        (Key.Key_G, Qt.KeyboardModifier.NoModifier, flags.menu, flags.custom),
    ):
        desk.press(key, held)
        if menu is not None:
            qtbot.waitUntil(menu.isVisible)
            qtbot.keyClick(QApplication.activePopupWidget(), Key.Key_O)
        qtbot.waitUntil(line.hasFocus)
        desk.press(Key.Key_Escape)
        qtbot.waitUntil(line.isHidden)
        assert desk.bar.comment.edit.isVisible()
    assert session.judgement(1).opinion.flags == () and session.judgement(2) is None


def test_flags_of_the_previous_object_listed_or_of_ones_own(qtbot, desk, context, session):
    desk.accept(qtbot, 1)
    desk.press(Key.Key_G, SHIFT)
    menu = desk.bar.previous.menu
    qtbot.waitUntil(menu.isVisible)
    assert session.candidate(1).object_id in menu.actions()[0].text()
    qtbot.keyClick(QApplication.activePopupWidget(), Key.Key_N)
    assert session.judgement(1).opinion.flags == ("noisy",) and session.judgement(2) is None
    desk.start_over(qtbot)
    previous = desk.bar.previous
    desk.accept(qtbot, 1)
    for typed, last, flags in (
        ("ring  of fire", Key.Key_Return, ("ring of fire",)),
        ("half", Key.Key_Escape, ("ring of fire",)),
        ("ring of fire", Key.Key_Return, ("ring of fire",)),
    ):
        desk.press(Key.Key_G, SHIFT)
        qtbot.waitUntil(previous.menu.isVisible)
        qtbot.keyClick(QApplication.activePopupWidget(), Key.Key_O)
        qtbot.waitUntil(previous.custom.hasFocus)
        assert not desk.bar.comment.edit.isVisible()
        qtbot.keyClicks(previous.custom, typed)
        desk.press(last)
        assert not previous.custom.isVisible() and desk.bar.comment.edit.isVisible()
        assert session.judgement(1).opinion.flags == flags
    assert session.judgement(2) is None


def test_there_is_none_at_the_start(qtbot, desk, context, session):
    painted(qtbot, context, 1)
    for key in (Key.Key_C, Key.Key_G):
        with qtbot.waitSignal(context.current.message):
            desk.press(key, SHIFT)
    assert not desk.bar.previous.edit.isVisible()
