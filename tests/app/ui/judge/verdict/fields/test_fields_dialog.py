"""Fields are defined in a dialog, and checked as a whole."""

import pytest

from app.core.session.own_fields import OwnField, own_fields, set_own_fields
from app.ui.judge.verdict.fields.fields_dialog import FieldsDialog
from tests.app.ui.steps import click


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
