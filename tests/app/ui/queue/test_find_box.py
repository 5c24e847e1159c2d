"""Going to an object by its name or number."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.ui.queue.find_box import FindBox
from tests.app.ui.steps import show_painted, shown_in


@pytest.fixture
def box(qtbot, context):
    show_painted(qtbot, context)
    return shown_in(qtbot, FindBox(context), 300, 40)


def type_name(qtbot, context, box, text):
    context.commands.run("find")
    qtbot.waitUntil(box.edit.hasFocus)
    qtbot.keyClicks(box.edit, text)


def test_objects_are_found_by_name_or_number(qtbot, box, context, session):
    type_name(qtbot, context, box, "Betelgeuse")
    with qtbot.waitSignal(context.current.message) as signal:
        qtbot.keyClick(box.edit, Qt.Key.Key_Return)
    assert "Betelgeuse" in signal.args[0] and context.current.candidate.id == 1
    box.edit.clear()
    type_name(qtbot, context, box, "9")
    qtbot.keyClick(box.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: context.current.candidate.id == 9)
    name = session.candidate(7).object_id
    type_name(qtbot, context, box, name.lower())
    box.edit.setText(name)
    qtbot.keyClick(box.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: context.current.candidate.id == 7)
    assert box.edit.text() == "" and not box.edit.hasFocus()
    type_name(qtbot, context, box, "SIM J")
    qtbot.waitUntil(box.suggestions.popup.isVisible)
    names = box.suggestions.model.stringList()
    assert len(names) > 3
    qtbot.keyClick(box.suggestions.popup, Qt.Key.Key_Down)
    qtbot.keyClick(box.suggestions.popup, Qt.Key.Key_Down)
    qtbot.keyClick(box.suggestions.popup, Qt.Key.Key_Return)
    wanted = int(names[1].rsplit("#", 1)[1])
    qtbot.waitUntil(lambda: context.current.candidate.id == wanted)
    assert not box.suggestions.popup.isVisible()
