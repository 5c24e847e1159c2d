"""A path that is typed or chosen; nothing that can be typed raises."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from app.ui.widgets.file_field import FileField, is_folder, is_there


@pytest.mark.parametrize("words", ["x" * 5000, "a\0b", "/", ".", "..", "~", "no/such/thing"])
def test_whatever_is_typed(words):
    path = Path(words)
    assert is_there(path) == is_folder(path) == (words in ("/", ".", ".."))


def test_a_path_is_typed_or_chosen(qtbot):
    answers = [None, Path("/chosen")]
    asked = []

    def ask(start):
        asked.append(start)
        return answers.pop(0)

    field = FileField("Spectra", ask)
    qtbot.addWidget(field)
    assert field.path is None
    with qtbot.waitSignal(field.changed):
        qtbot.keyClicks(field.edit, "/typed ")
    assert field.path == Path("/typed")
    for expected in (Path("/typed"), Path("/chosen")):
        qtbot.mouseClick(field.button, Qt.MouseButton.LeftButton)
        assert field.path == expected
    assert asked == [Path("/typed"), Path("/typed")]


def test_a_problem_is_shown_below(qtbot):
    field = FileField("Spectra", lambda start: None)
    qtbot.addWidget(field)
    field.show_problem("This is no folder")
    assert not field.problem.isHidden() and field.problem.text() == "This is no folder"
    field.show_problem("")
    assert field.problem.isHidden()
    field.edit.setText("~nobody-of-that-name/x")
    assert field.path is None
