"""After an accept one key more names the sub-class, of the object that was accepted."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QApplication

from app.core.session.records import Opinion, Verdict
from app.ui.base.settings.settings import Settings
from tests.app.ui.steps import heard, painted

Key = Qt.Key
SHIFT = Qt.KeyboardModifier.ShiftModifier
ACCEPTED = Opinion(verdict=Verdict.ACCEPT)


def subclass(session, number):
    given = session.judgement(number)
    return None if given is None else given.opinion.subclass


@pytest.fixture(autouse=True)
def patient(context):
    """A busy machine takes longer than a person."""
    context.settings.change(subclass_seconds=20.0)


def test_letters_mean_the_object_on_screen_until_the_strip_is_asked_for(
    qtbot, desk, context, session
):
    context.settings.change(subclass_seconds=Settings().subclass_seconds)
    desk.accept(qtbot, 1)
    assert [each.key for each in desk.strip.choices] == [":"] and not desk.strip.is_armed
    desk.press(Key.Key_D)  # smooths the next one
    assert (subclass(session, 1), desk.smoothed) == ("", 1)
    desk.press(Key.Key_Colon, SHIFT)
    assert not desk.strip.is_armed
    desk.press(Key.Key_L)
    assert subclass(session, 1) == "NL"
    desk.press(Key.Key_Colon, SHIFT)
    desk.press(Key.Key_N)  # who goes on thinks of another object
    painted(qtbot, context, 3)
    desk.press(Key.Key_D)
    assert (subclass(session, 1), desk.smoothed) == ("NL", 2)
    context.settings.change(subclass_seconds=20.0)
    desk.accept(qtbot, 3)
    colour = QColor(context.current_theme.theme.accept)
    assert desk.strip.is_armed and desk.strip.grab().toImage().pixelColor(6, 6) == colour


def test_keys_after_an_accept_name_the_sub_class(qtbot, desk, context, session):
    name = session.candidate(1).object_id
    desk.accept(qtbot, 1)
    assert context.current.candidate.id == 2
    assert session.judgement(1).opinion == ACCEPTED  # saved at once, whatever follows
    assert desk.strip.is_open and name in desk.strip.title
    assert name in heard(qtbot, context.current.message, lambda: desk.press(Key.Key_D))
    assert subclass(session, 1) == "DN" and session.judgement(2) is None
    assert context.current.candidate.id == 2 and desk.smoothed == 0
    desk.start_over(qtbot)  # The second level by a second key
    desk.accept(qtbot, 1)
    desk.press(Key.Key_D)
    assert "DN" in desk.strip.title
    desk.press(Key.Key_W)
    assert subclass(session, 1) == "DN/WZ Sge"
    assert not desk.strip.is_open  # there is nothing narrower
    desk.press(Key.Key_D)
    assert desk.smoothed == 1
    desk.start_over(qtbot)  # A fast series of verdicts is as ever
    desk.accept(qtbot, 1)
    desk.accept(qtbot, 2)
    desk.press(Key.Key_X)
    painted(qtbot, context, 4)
    given = [session.judgement(number).opinion.verdict for number in (1, 2, 3)]
    assert given == [Verdict.ACCEPT, Verdict.ACCEPT, Verdict.REJECT]
    assert [subclass(session, number) for number in (1, 2, 3)] == ["", "", ""]
    desk.press(Key.Key_D)  # what was rejected has no sub-class
    assert desk.smoothed == 1 and subclass(session, 3) == subclass(session, 2) == ""
    desk.start_over(qtbot)  # The strip is about the last one accepted
    desk.accept(qtbot, 1)
    desk.accept(qtbot, 2)
    desk.press(Key.Key_P)
    assert (subclass(session, 1), subclass(session, 2)) == ("", "polar")
    desk.start_over(qtbot)  # Another key closes it and does what it does
    desk.context.commands.add("whole", lambda: None)
    desk.accept(qtbot, 1)
    desk.press(Key.Key_W)  # no key of the first level
    assert not desk.strip.is_open
    desk.press(Key.Key_D)
    assert desk.smoothed == 1 and subclass(session, 1) == ""


def test_the_strip_closes_by_itself_unless_it_sticks(qtbot, desk, context, session):
    context.settings.change(subclass_seconds=0.3)
    desk.accept(qtbot, 1)
    assert desk.strip.isVisible()
    qtbot.waitUntil(lambda: not desk.strip.isVisible())
    desk.press(Key.Key_D)
    assert desk.smoothed == 1 and subclass(session, 1) == ""
    context.settings.change(subclass_seconds=20.0, subclass_sticky=False)
    desk.start_over(qtbot)
    context.settings.change(subclass_seconds=0.3, subclass_sticky=True)
    desk.context.commands.add("whole", lambda: None)
    desk.accept(qtbot, 1)
    desk.press(Key.Key_W)
    assert desk.strip.is_open
    desk.press(Key.Key_D)
    assert subclass(session, 1) == "DN"
    desk.press(Key.Key_X)
    painted(qtbot, context, 3)
    assert not desk.strip.is_open
    context.settings.change(subclass_seconds=20.0, subclass_sticky=False)
    desk.start_over(qtbot)
    context.settings.change(subclass_seconds=0.0)
    desk.accept(qtbot, 1)
    desk.press(Key.Key_D)
    assert desk.smoothed == 1 and subclass(session, 1) == ""
    context.settings.change(subclass_seconds=20.0, subclass_sticky=False)
    desk.start_over(qtbot)
    context.settings.change(subclass_seconds=0.3)
    desk.accept(qtbot, 1)
    qtbot.waitUntil(lambda: not desk.strip.is_open)
    desk.press(Key.Key_Semicolon)
    assert not desk.strip.is_open  # the second is not accepted
    desk.press(Key.Key_Colon, SHIFT)
    desk.press(Key.Key_O)
    assert subclass(session, 1) == "nova"
    context.current.go_to(1)
    desk.press(Key.Key_Semicolon)
    desk.press(Key.Key_P)
    assert subclass(session, 1) == "polar"


def test_sub_classes_are_undone_named_again_and_clicked(qtbot, desk, context, session):
    desk.accept(qtbot, 1)
    desk.press(Key.Key_D)
    desk.press(Key.Key_W)
    desk.press(Key.Key_Backspace)
    assert subclass(session, 1) == "DN"
    painted(qtbot, context, 1)
    desk.press(Key.Key_Backspace)
    assert subclass(session, 1) == ""
    desk.press(Key.Key_Backspace)
    assert session.judgement(1) is None
    for _ in range(3):
        context.commands.run("redo")
    assert subclass(session, 1) == "DN/WZ Sge"
    desk.start_over(qtbot)  # Accept and stay is about the object on screen
    painted(qtbot, context, 1)
    desk.press(Key.Key_A, SHIFT)
    desk.press(Key.Key_L)
    assert subclass(session, 1) == "NL" and context.current.saved_opinion.subclass == "NL"
    desk.press(Key.Key_Escape)
    desk.press(Key.Key_X)  # rejected after all
    assert session.judgement(1).opinion == Opinion(verdict=Verdict.REJECT)
    desk.start_over(qtbot)  # Accepting again asks again
    desk.accept(qtbot, 1)
    context.current.go_to(1)
    desk.accept(qtbot, 1)
    desk.press(Key.Key_I)
    assert subclass(session, 1) == "IP"
    desk.start_over(qtbot)  # A held key names one class and does nothing more
    desk.accept(qtbot, 1)
    for is_repeat in (False, True, True):
        press, no = QEvent.Type.KeyPress, Qt.KeyboardModifier.NoModifier
        event = QKeyEvent(press, Key.Key_D, no, "d", is_repeat)
        QCoreApplication.sendEvent(desk.windowHandle(), event)
    assert subclass(session, 1) == "DN"
    assert desk.smoothed == 0  # though D may be held to smooth
    desk.press(Key.Key_D)  # and this is another press
    assert desk.smoothed == 1
    desk.start_over(qtbot)  # A click chooses
    desk.accept(qtbot, 1)
    at = desk.strip._boxes[1 + [each.name for each in desk.strip.choices].index("IP")].center()
    qtbot.mouseClick(desk.strip, Qt.MouseButton.LeftButton, pos=at)
    assert subclass(session, 1) == "IP"
    desk.start_over(qtbot)  # Typing a comment names nothing
    desk.accept(qtbot, 1)
    desk.press(Key.Key_C)
    qtbot.waitUntil(desk.bar.comment.edit.hasFocus)
    qtbot.keyClicks(desk.bar.comment.edit, "dip")
    QApplication.focusWidget().clearFocus()
    assert subclass(session, 1) == "" and session.judgement(2).opinion.comment == "dip"


def test_where_a_key_judges_a_digit_stands_in(qtbot, desk, context, session):
    """In the profile of CandyJar D goes to the next object, I accepts and O is unsure."""
    context.keymap.use_profile("candyjar")
    painted(qtbot, context, 1)
    desk.press(Key.Key_I)
    painted(qtbot, context, 2)
    names = {each.name: each.key for each in desk.strip.choices}
    assert names == {"DN": "5", "NL": "L", "polar": "P", "IP": "6", "AM CVn": "H", "nova": "7"}
    desk.press(Key.Key_5)
    assert subclass(session, 1) == "DN"


def test_the_whole_strip_fits_the_plot(qtbot, desk):
    desk.accept(qtbot, 1)
    for width in (420, 900):
        desk.resize(width, 400)
        qtbot.waitUntil(lambda: desk.plot.rect().contains(desk.strip.geometry()))
        assert all(desk.strip.rect().contains(box) for box in desk.strip._boxes)
