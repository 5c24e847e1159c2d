"""After an accept one key more names the sub-class, of the object that was accepted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from app.core.session.records import Opinion, Verdict
from tests.app.ui.steps import painted

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


def test_the_key_goes_to_the_object_just_accepted(qtbot, desk, context, session):
    name = session.candidate(1).object_id
    desk.accept(qtbot, 1)
    assert context.current.candidate.id == 2
    assert session.judgement(1).opinion == ACCEPTED  # saved at once, whatever follows
    assert desk.strip.is_open
    assert name in desk.strip.title
    with qtbot.waitSignal(context.current.message) as said:
        desk.press(Key.Key_D)
    assert name in said.args[0]
    assert subclass(session, 1) == "DN"
    assert session.judgement(2) is None
    assert context.current.candidate.id == 2
    assert desk.smoothed == 0


def test_the_second_level_by_a_second_key(qtbot, desk, context, session):
    desk.accept(qtbot, 1)
    desk.press(Key.Key_D)
    assert "DN" in desk.strip.title
    desk.press(Key.Key_W)
    assert subclass(session, 1) == "DN/WZ Sge"
    assert not desk.strip.is_open  # there is nothing narrower
    desk.press(Key.Key_D)
    assert desk.smoothed == 1


def test_a_fast_series_of_verdicts_is_as_ever(qtbot, desk, context, session):
    desk.accept(qtbot, 1)
    desk.accept(qtbot, 2)
    desk.press(Key.Key_X)
    painted(qtbot, context, 4)
    given = [session.judgement(number).opinion.verdict for number in (1, 2, 3)]
    assert given == [Verdict.ACCEPT, Verdict.ACCEPT, Verdict.REJECT]
    assert [subclass(session, number) for number in (1, 2, 3)] == ["", "", ""]
    desk.press(Key.Key_D)  # what was rejected has no sub-class
    assert desk.smoothed == 1
    assert subclass(session, 3) == subclass(session, 2) == ""


def test_the_strip_is_about_the_last_one_accepted(qtbot, desk, session):
    desk.accept(qtbot, 1)
    desk.accept(qtbot, 2)
    desk.press(Key.Key_P)
    assert (subclass(session, 1), subclass(session, 2)) == ("", "polar")


def test_another_key_closes_it_and_does_what_it_does(qtbot, desk, session):
    desk.context.commands.add("whole", lambda: None)
    desk.accept(qtbot, 1)
    desk.press(Key.Key_W)  # no key of the first level
    assert not desk.strip.is_open
    desk.press(Key.Key_D)
    assert desk.smoothed == 1
    assert subclass(session, 1) == ""


def test_it_closes_by_itself(qtbot, desk, context, session):
    context.settings.change(subclass_seconds=0.3)
    desk.accept(qtbot, 1)
    assert desk.strip.isVisible()
    qtbot.waitUntil(lambda: not desk.strip.isVisible())
    desk.press(Key.Key_D)
    assert desk.smoothed == 1
    assert subclass(session, 1) == ""


def test_a_sticky_strip_stays_until_the_next_verdict(qtbot, desk, context, session):
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


def test_it_can_be_turned_off(qtbot, desk, context, session):
    context.settings.change(subclass_seconds=0.0)
    desk.accept(qtbot, 1)
    desk.press(Key.Key_D)
    assert desk.smoothed == 1
    assert subclass(session, 1) == ""


def test_undo_takes_back_one_key_after_another(qtbot, desk, context, session):
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


def test_accept_and_stay_is_about_the_object_on_screen(qtbot, desk, context, session):
    painted(qtbot, context, 1)
    desk.press(Key.Key_A, SHIFT)
    desk.press(Key.Key_L)
    assert subclass(session, 1) == "NL"
    assert context.current.saved_opinion.subclass == "NL"
    desk.press(Key.Key_Escape)
    desk.press(Key.Key_X)  # rejected after all
    assert session.judgement(1).opinion == Opinion(verdict=Verdict.REJECT)


def test_accepting_again_asks_again(qtbot, desk, context, session):
    desk.accept(qtbot, 1)
    context.current.go_to(1)
    desk.accept(qtbot, 1)
    desk.press(Key.Key_I)
    assert subclass(session, 1) == "IP"


def test_keys_ask_later_without_haste(qtbot, desk, context, session):
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


def test_a_held_key_names_one_class_and_does_nothing_more(qtbot, desk, session):
    desk.accept(qtbot, 1)
    for is_repeat in (False, True, True):
        press, no = QEvent.Type.KeyPress, Qt.KeyboardModifier.NoModifier
        event = QKeyEvent(press, Key.Key_D, no, "d", is_repeat)
        QCoreApplication.sendEvent(desk.windowHandle(), event)
    assert subclass(session, 1) == "DN"
    assert desk.smoothed == 0  # though D may be held to smooth
    desk.press(Key.Key_D)  # and this is another press
    assert desk.smoothed == 1


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


def test_a_click_chooses(qtbot, desk, session):
    desk.accept(qtbot, 1)
    at = desk.strip._boxes[1 + [each.name for each in desk.strip.choices].index("IP")].center()
    qtbot.mouseClick(desk.strip, Qt.MouseButton.LeftButton, pos=at)
    assert subclass(session, 1) == "IP"


def test_typing_a_comment_names_nothing(qtbot, desk, context, session):
    desk.accept(qtbot, 1)
    desk.press(Key.Key_C)
    qtbot.waitUntil(desk.bar.comment.edit.hasFocus)
    qtbot.keyClicks(desk.bar.comment.edit, "dip")
    QApplication.focusWidget().clearFocus()
    assert subclass(session, 1) == ""
    assert session.judgement(2).opinion.comment == "dip"


def test_the_whole_strip_fits_the_plot(qtbot, desk):
    desk.accept(qtbot, 1)
    for width in (420, 900):
        desk.resize(width, 400)
        qtbot.waitUntil(lambda: desk.plot.rect().contains(desk.strip.geometry()))
        assert all(desk.strip.rect().contains(box) for box in desk.strip._boxes)
