"""The comment field: a comment stays with the candidate it was typed for."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication

from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.ui.judge.verdict.verdict_bar import CommentBox, VerdictBar
from tests.app.ui.conftest import opened_context
from tests.app.ui.steps import click, painted, said, show_painted, shown_in, start_over


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
