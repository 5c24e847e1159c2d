"""Fields: numbers, paths and names that are typed, and a range that is dragged."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt

from app.ui.base.settings.settings_store import SettingsStore
from app.ui.judge.controls.range_control import RangeSlider
from app.ui.widgets.file_field import FileField, is_folder, is_there
from app.ui.widgets.number_box import NumberBox, parse_number
from app.ui.widgets.reviewer_name import ReviewerName
from tests.app.ui.steps import click, heard, shown_in, write


@pytest.fixture
def box(qtbot):
    made = shown_in(qtbot, NumberBox("Speed", low=-100.0, high=100.0, decimals=1), 80, 30)
    made.show_value(20.0)
    return made


def test_numbers_are_accepted_limited_or_discarded(qtbot, box, qapp):
    assert heard(qtbot, box.entered, lambda: write(qtbot, box, "-12.34")) == -12.34
    assert (box.value, box.text()) == (-12.34, "-12.3")
    write(qtbot, box, "1e6")
    assert (box.value, box.text()) == (100.0, "100.0")
    box.show_value(20.0)
    with qtbot.assertNotEmitted(box.entered):
        write(qtbot, box, "abc")
    assert (box.value, box.text()) == (20.0, "20.0")
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "7")
    box.show_value(50.0)
    assert box.text() == "7"
    box.clearFocus()
    box.show_value(None)
    assert box.text() == ""
    for text, number in [(" 3.5 ", 3.5), ("\N{MINUS SIGN}2", -2.0), ("inf", None), ("x", None)]:
        assert parse_number(text) == number


def test_a_path_is_typed_or_chosen_and_problems_shown_below(qtbot):
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
        click(qtbot, field.button)
        assert field.path == expected
    assert asked == [Path("/typed"), Path("/typed")]
    field = FileField("Spectra", lambda start: None)
    qtbot.addWidget(field)
    field.show_problem("This is no folder")
    assert not field.problem.isHidden() and field.problem.text() == "This is no folder"
    field.show_problem("")
    assert field.problem.isHidden()
    field.edit.setText("~nobody-of-that-name/x")
    assert field.path is None
    for words in ["x" * 5000, "a\0b", "/", ".", "..", "~", "no/such/thing"]:
        path = Path(words)
        assert is_there(path) == is_folder(path) == (words in ("/", ".", ".."))


@pytest.fixture
def settings(qapp):
    made = SettingsStore()
    made.change(reviewer="Ada")
    return made


def test_enter_and_the_button_save_and_escape_cancels(qtbot, settings):
    for key, name in [(Qt.Key.Key_Return, "Li Wei"), (Qt.Key.Key_Escape, "Ada")]:
        settings.change(reviewer="Ada")
        shown = shown_in(qtbot, ReviewerName(settings), 400, 40)
        assert shown.name.text() == "Ada" and not shown.field.isVisible()
        click(qtbot, shown.button)
        assert shown.field.text() == "Ada" and not shown.name.isVisible()
        qtbot.keyClicks(shown.field, " Li  Wei ")
        qtbot.keyClick(shown.field, key)
        assert (settings.settings.reviewer, shown.name.text()) == (name, name)
        assert not shown.field.isVisible()
    settings.change(reviewer="Ada")
    shown = shown_in(qtbot, ReviewerName(settings), 400, 40)
    click(qtbot, shown.button)
    assert shown.button.text() == "Save"
    qtbot.keyClicks(shown.field, "Grace")
    click(qtbot, shown.button)
    assert settings.settings.reviewer == "Grace" and shown.button.text() == "Change"


@pytest.fixture
def slider(qtbot, current_theme):
    made = shown_in(qtbot, RangeSlider(current_theme), 400, 22)
    made.show_values((0.0, 100.0), (20.0, 60.0))
    return made


def drag(qtbot, slider, start, end):
    """Press on one value, release on another; the values that were requested last."""
    requested = []
    slider.values_requested.connect(lambda *values: requested.append(values))
    left = Qt.MouseButton.LeftButton
    first, last = (QPoint(round(slider.position(v)), slider.height() // 2) for v in (start, end))
    qtbot.mousePress(slider, left, pos=first)
    qtbot.mouseMove(slider, last)
    qtbot.mouseRelease(slider, left, pos=last)
    return requested[-1]


def test_handles_and_the_range_between_are_dragged(qtbot, slider):
    drag(qtbot, slider, 20.0, 40.0)
    assert slider.values == (20.0, 60.0)
    slider.show_values((0.0, 100.0), (-10.0, 120.0))
    assert slider.bounds == (-10.0, 120.0)
    for start, end, values in [
        (20.0, 40.0, (40.0, 60.0)),
        (60.0, 90.0, (20.0, 90.0)),
        (20.0, 99.0, (60.0, 60.0)),
        (40.0, 50.0, (30.0, 70.0)),
        (40.0, 500.0, (60.0, 100.0)),
    ]:
        slider.show_values((0.0, 100.0), (20.0, 60.0))
        assert drag(qtbot, slider, start, end) == pytest.approx(values, abs=0.5)
