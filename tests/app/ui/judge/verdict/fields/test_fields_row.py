"""Own fields, defined in a dialog; by click, key and typing values go to the object on screen."""

import pytest
from PySide6.QtCore import Qt

from app.core.session.own_fields import OwnField, own_fields, set_own_fields
from app.core.session.records import Verdict
from app.ui.judge.verdict.fields.fields_dialog import FieldsDialog
from tests.app.ui.steps import click, painted

Key = Qt.Key
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
    assert dict(given.fields) == {"quality": "poor", "ebv": 0.25} and edit.text() == ""
    assert row.editors["quality"].button.text() == "Quality"
    for wanted in ({"quality": "poor", "ebv": 0.25}, {"quality": "poor"}, {}):
        context.commands.run("undo")
        assert values(session, 1) == wanted
    assert edit.text() == ""


def test_values_are_clicked_typed_and_chosen_for_the_object_on_screen(
    qtbot, desk, row, context, session
):
    qtbot.waitUntil(row.isVisible)
    painted(qtbot, context, 1)
    click(qtbot, row.editors["binary"].button)
    assert values(session, 1) == {"binary": True} and row.editors["binary"].button.isChecked()
    click(qtbot, row.editors["quality"].button)
    desk.press(Key.Key_1)
    assert row.editors["quality"].button.text() == "Quality: good"
    click(qtbot, row.editors["quality"].button)
    desk.press(Key.Key_0)
    assert values(session, 1) == {"binary": True}
    desk.start_over(qtbot)  # A choice is not taken for another object
    painted(qtbot, context, 1)
    desk.press(Key.Key_J)
    context.current.next()
    painted(qtbot, context, 2)
    assert not desk.strip.is_open and values(session, 1) == values(session, 2) == {}
    desk.start_over(qtbot)  # What is no number is told and not kept
    qtbot.waitUntil(row.isVisible)
    painted(qtbot, context, 1)
    edit = row.editors["ebv"].edit
    click(qtbot, edit)
    qtbot.keyClicks(edit, "much")
    with qtbot.waitSignal(context.current.message):
        desk.press(Key.Key_Return)
    assert values(session, 1) == {}
    desk.start_over(qtbot)  # A typed field has its name and key like the others
    qtbot.waitUntil(row.isVisible)
    painted(qtbot, context, 1)
    editor = row.editors["ebv"]
    assert (editor.button.text(), editor.button.key) == ("ebv", "O")
    click(qtbot, editor.button)
    qtbot.waitUntil(editor.edit.hasFocus)
    qtbot.keyClicks(editor.edit, "0.5")
    desk.press(Key.Key_Return)
    assert values(session, 1) == {"ebv": 0.5} and editor.button.text() == "ebv"
    desk.start_over(qtbot)  # What is being typed stays with its object
    qtbot.waitUntil(row.isVisible)
    painted(qtbot, context, 1)
    edit = row.editors["remark"].edit
    click(qtbot, edit)
    qtbot.keyClicks(edit, "axu")
    assert values(session, 1) == {}
    click(qtbot, desk.bar.buttons[Verdict.UNSURE])
    painted(qtbot, context, 2)
    assert values(session, 1) == {"remark": "axu"} and edit.text() == ""
    qtbot.keyClicks(edit, "two")
    context.current.go_to(4)
    assert values(session, 2) == {"remark": "two"} and session.judgement(4) is None
    desk.start_over(qtbot)  # An action keeps its key
    context.keymap.rebind("smooth_less", ["J"])
    painted(qtbot, context, 1)
    desk.press(Key.Key_J)
    assert desk.smoothed == 1 and not desk.strip.is_open


@pytest.fixture
def dialog(qtbot, context):
    dialog = FieldsDialog(context)
    qtbot.addWidget(dialog)
    dialog.open_fields()
    qtbot.waitExposed(dialog)
    return dialog


def test_fields_are_defined(qtbot, dialog, session):
    (line,) = dialog.lines
    qtbot.keyClicks(line.title, "Line profile")
    qtbot.keyClicks(line.choices, "single, double")
    qtbot.keyClicks(line.key, "j")
    click(qtbot, dialog.add_button)
    qtbot.keyClicks(dialog.lines[1].title, "Binary?")
    dialog.lines[1].kind.setCurrentIndex(2)
    assert not dialog.lines[1].choices.isEnabled()
    click(qtbot, dialog.save_button)
    assert not dialog.isVisible()
    assert own_fields(session) == (
        OwnField(
            name="line_profile", kind="choice", title="Line profile",
            choices=("single", "double"), key="J",
        ),
        OwnField(name="binary", kind="tick", title="Binary?"),
    )  # fmt: skip


def test_a_mistake_is_told_and_nothing_is_saved(qtbot, dialog, session):
    for choices, key, told in [
        ("", "", "choice"),
        ("a, b", "a", "already used"),
        ("a, b", "Ctrl+7", "key"),
        ("a, a", "", "differ"),
    ]:
        (line,) = dialog.lines
        line.title.setText("Profile")
        line.choices.setText(choices)
        line.key.setText(key)
        click(qtbot, dialog.save_button)
        assert told in dialog.problem.text and dialog.isVisible() and own_fields(session) == ()


def test_a_field_keeps_its_name_under_another_title(qtbot, dialog, session):
    set_own_fields(session, [OwnField(name="ebv", kind="number"), OwnField(name="x", kind="tick")])
    dialog.open_fields()
    dialog.lines[0].title.setText("Reddening")
    click(qtbot, dialog.lines[1].remove)
    click(qtbot, dialog.save_button)
    assert own_fields(session) == (OwnField(name="ebv", kind="number", title="Reddening"),)
