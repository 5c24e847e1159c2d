"""The comment field: a comment stays with the candidate it was typed for."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication

from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.ui.judging.comment_box import CommentBox
from app.ui.judging.verdict_bar import VerdictBar
from tests.app.ui.conftest import opened_context
from tests.app.ui.steps import painted, show_painted, shown_in

LEFT = Qt.MouseButton.LeftButton


def type_comment(qtbot, context, box, text):
    context.commands.run("comment")
    qtbot.waitUntil(box.edit.hasFocus)
    qtbot.keyClicks(box.edit, text)


def test_enter_saves_and_gives_the_focus_back(qtbot, box, context, session):
    show_painted(qtbot, context)
    type_comment(qtbot, context, box, "axu ")
    composed = QInputMethodEvent()  # as Chinese is typed
    composed.setCommitString("双峰 Hα")
    QApplication.sendEvent(box.edit, composed)
    qtbot.keyClick(box.edit, Qt.Key.Key_Return)
    assert session.judgement(1).opinion == Opinion(comment="axu 双峰 Hα")
    assert not box.edit.hasFocus()
    assert context.current.candidate.id == 1


def test_leaving_the_field_saves(qtbot, box, context, session):
    show_painted(qtbot, context)
    type_comment(qtbot, context, box, "left")
    box.edit.clearFocus()
    assert session.judgement(1).opinion.comment == "left"
    assert len(list(session.history())) == 1


def test_typed_text_stays_with_its_candidate(qtbot, box, context, session):
    """The candidate changes while the field keeps the focus."""
    show_painted(qtbot, context)
    type_comment(qtbot, context, box, "for one")
    context.current.go_to(4)
    assert box.edit.text() == ""
    assert session.judgement(1).opinion.comment == "for one"
    qtbot.keyClicks(box.edit, "for four")
    context.current.previous()
    box.edit.clearFocus()
    assert session.judgement(4).opinion.comment == "for four"
    assert session.judgement(1).opinion.comment == "for one"
    assert session.judgement(3) is None


def test_a_verdict_by_mouse_saves_the_comment(qtbot, box, context, session):
    bar = shown_in(qtbot, VerdictBar(context))
    show_painted(qtbot, context)
    box.activateWindow()
    type_comment(qtbot, context, box, "with it")
    qtbot.mouseClick(bar.buttons[Verdict.ACCEPT], LEFT)
    opinion = session.judgement(1).opinion
    assert (opinion.verdict, opinion.comment) == (Verdict.ACCEPT, "with it")


def test_standard_comments_are_added_to_what_is_there(qtbot, box, context, session):
    context.settings.change(comments=("mine & yours",))
    show_painted(qtbot, context)
    context.current.set_comment("typed")
    qtbot.mouseClick(box.standard, LEFT)
    qtbot.waitUntil(box.menu.isVisible)
    first = box.menu.actions()[0]
    assert first.text() == "mine && yours"
    first.trigger()
    first.trigger()  # once is enough
    box.menu.close()
    assert session.judgement(1).opinion.comment == "typed; mine & yours"
    assert box.edit.text() == "typed; mine & yours"


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
            with qtbot.waitSignal(context.current.message) as told:
                context.commands.run(name)
            assert "read-only" in told.args[0]
        qtbot.keyClicks(box.edit, "more")
        context.current.go_to(2)
        assert context.current.candidate.id == 2


def test_without_a_candidate_there_is_no_comment(qtbot, box, context):
    context.commands.run("comment")
    assert not box.edit.isEnabled()
    context.commands.run("flags")
    assert not box.flags.menu.isVisible()


def test_moving_on_with_the_field_open(qtbot, box, context, session):
    show_painted(qtbot, context)
    type_comment(qtbot, context, box, "one")
    context.current.next()
    painted(qtbot, context, 2)
    qtbot.keyClicks(box.edit, "two")
    qtbot.keyClick(box.edit, Qt.Key.Key_Return)
    comments = [session.judgement(number).opinion.comment for number in (1, 2)]
    assert comments == ["one", "two"]
