"""Fields are defined in a dialog, and checked as a whole."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.core.session.own_fields import OwnField, own_fields, set_own_fields
from app.ui.judging.fields.fields_dialog import FieldsDialog

LEFT = Qt.MouseButton.LeftButton


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
    qtbot.mouseClick(dialog.add_button, LEFT)
    qtbot.keyClicks(dialog.lines[1].title, "Binary?")
    dialog.lines[1].kind.setCurrentIndex(2)
    assert not dialog.lines[1].choices.isEnabled()
    qtbot.mouseClick(dialog.save_button, LEFT)
    assert not dialog.isVisible()
    assert own_fields(session) == (
        OwnField(
            name="line_profile",
            kind="choice",
            title="Line profile",
            choices=("single", "double"),
            key="J",
        ),
        OwnField(name="binary", kind="tick", title="Binary?"),
    )


@pytest.mark.parametrize(
    ("choices", "key", "told"),
    [
        ("", "", "choice"),
        ("a, b", "a", "already used"),
        ("a, b", "Ctrl+7", "key"),
        ("a, a", "", "differ"),
    ],
)
def test_a_mistake_is_told_and_nothing_is_saved(qtbot, dialog, session, choices, key, told):
    (line,) = dialog.lines
    line.title.setText("Profile")
    line.choices.setText(choices)
    line.key.setText(key)
    qtbot.mouseClick(dialog.save_button, LEFT)
    assert told in dialog.problem.text
    assert dialog.isVisible()
    assert own_fields(session) == ()


def test_a_field_keeps_its_name_under_another_title(qtbot, dialog, session):
    set_own_fields(session, [OwnField(name="ebv", kind="number"), OwnField(name="x", kind="tick")])
    dialog.open_fields()
    dialog.lines[0].title.setText("Reddening")
    qtbot.mouseClick(dialog.lines[1].remove, LEFT)
    qtbot.mouseClick(dialog.save_button, LEFT)
    assert own_fields(session) == (OwnField(name="ebv", kind="number", title="Reddening"),)
