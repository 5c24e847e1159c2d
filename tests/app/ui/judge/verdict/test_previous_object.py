"""Comment and flags of the object before: they land there, and the window says so."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.core.session.records import Opinion, Verdict
from tests.app.ui.steps import click, painted

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
