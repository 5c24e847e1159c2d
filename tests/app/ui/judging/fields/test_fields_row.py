"""Own fields by click, key and typing: values go to the object on screen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.core.session.own_fields import OwnField, set_own_fields
from app.core.session.records import Verdict
from tests.app.ui.steps import painted

Key = Qt.Key
LEFT = Qt.MouseButton.LeftButton
FIELDS = (
    OwnField(name="quality", kind="choice", title="Quality", choices=("good", "poor"), key="J"),
    OwnField(name="ebv", kind="number", key="O", unit="mag"),
    OwnField(name="binary", kind="tick", key="5"),
    OwnField(name="remark", kind="text"),
)


@pytest.fixture
def row(desk, session):
    set_own_fields(session, FIELDS)
    return desk.fields


def values(session, number):
    given = session.judgement(number)
    return {} if given is None else dict(given.opinion.fields)


def test_a_session_without_fields_has_no_row(desk):
    assert not desk.fields.isVisible()


def test_fields_by_their_keys(qtbot, desk, row, context, session):
    qtbot.waitUntil(row.isVisible)
    painted(qtbot, context, 1)
    desk.press(Key.Key_5)
    assert values(session, 1) == {"binary": True}
    desk.press(Key.Key_5)
    assert values(session, 1) == {}
    desk.press(Key.Key_J)
    assert "Quality" in desk.strip.title
    desk.press(Key.Key_2)
    assert values(session, 1) == {"quality": "poor"}
    desk.press(Key.Key_O)
    edit = row.editors["ebv"].edit
    qtbot.waitUntil(edit.hasFocus)
    qtbot.keyClicks(edit, "0.25")
    desk.press(Key.Key_Return)
    assert values(session, 1) == {"quality": "poor", "ebv": 0.25}
    desk.accept(qtbot, 1)
    given = session.judgement(1).opinion
    assert given.verdict is Verdict.ACCEPT
    assert dict(given.fields) == {"quality": "poor", "ebv": 0.25}
    assert edit.text() == ""
    assert row.editors["quality"].button.text() == "Quality"
    for wanted in ({"quality": "poor", "ebv": 0.25}, {"quality": "poor"}, {}):
        context.commands.run("undo")
        assert values(session, 1) == wanted
    assert edit.text() == ""


def test_a_choice_is_not_taken_for_another_object(qtbot, desk, row, context, session):
    painted(qtbot, context, 1)
    desk.press(Key.Key_J)
    context.current.next()
    painted(qtbot, context, 2)
    assert not desk.strip.is_open
    assert values(session, 1) == values(session, 2) == {}


def test_clicks(qtbot, desk, row, context, session):
    qtbot.waitUntil(row.isVisible)
    painted(qtbot, context, 1)
    qtbot.mouseClick(row.editors["binary"].button, LEFT)
    assert values(session, 1) == {"binary": True}
    assert row.editors["binary"].button.isChecked()
    qtbot.mouseClick(row.editors["quality"].button, LEFT)
    desk.press(Key.Key_1)
    assert row.editors["quality"].button.text() == "Quality: good"
    qtbot.mouseClick(row.editors["quality"].button, LEFT)
    desk.press(Key.Key_0)
    assert values(session, 1) == {"binary": True}


def test_what_is_being_typed_stays_with_its_object(qtbot, desk, row, context, session):
    qtbot.waitUntil(row.isVisible)
    painted(qtbot, context, 1)
    edit = row.editors["remark"].edit
    qtbot.mouseClick(edit, LEFT)
    qtbot.keyClicks(edit, "axu")
    assert values(session, 1) == {}
    qtbot.mouseClick(desk.bar.buttons[Verdict.UNSURE], LEFT)
    painted(qtbot, context, 2)
    assert values(session, 1) == {"remark": "axu"}
    assert edit.text() == ""
    qtbot.keyClicks(edit, "two")
    context.current.go_to(4)
    assert values(session, 2) == {"remark": "two"}
    assert session.judgement(4) is None


def test_what_is_no_number_is_told_and_not_kept(qtbot, desk, row, context, session):
    qtbot.waitUntil(row.isVisible)
    painted(qtbot, context, 1)
    edit = row.editors["ebv"].edit
    qtbot.mouseClick(edit, LEFT)
    qtbot.keyClicks(edit, "much")
    with qtbot.waitSignal(context.current.message):
        desk.press(Key.Key_Return)
    assert values(session, 1) == {}


def test_an_action_keeps_its_key(qtbot, desk, row, context, session):
    context.keymap.rebind("smooth_less", ["J"])
    painted(qtbot, context, 1)
    desk.press(Key.Key_J)
    assert desk.smoothed == 1
    assert not desk.strip.is_open


def test_a_typed_field_has_its_name_and_key_like_the_others(qtbot, desk, row, context, session):
    qtbot.waitUntil(row.isVisible)
    painted(qtbot, context, 1)
    editor = row.editors["ebv"]
    assert (editor.button.text(), editor.button.key) == ("ebv", "O")
    qtbot.mouseClick(editor.button, LEFT)
    qtbot.waitUntil(editor.edit.hasFocus)
    qtbot.keyClicks(editor.edit, "0.5")
    desk.press(Key.Key_Return)
    assert values(session, 1) == {"ebv": 0.5} and editor.button.text() == "ebv"
