"""A number that is typed: accepted, limited, or discarded."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.ui.widgets.number_box import NumberBox, parse_number
from tests.app.ui.steps import shown_in


@pytest.fixture
def box(qtbot):
    made = shown_in(qtbot, NumberBox("Speed", low=-100.0, high=100.0, decimals=1), 80, 30)
    made.show_value(20.0)
    return made


def write(qtbot, box, text, key=Qt.Key.Key_Return):
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, text)
    qtbot.keyClick(box, key)


def test_return_accepts_a_number(qtbot, box):
    with qtbot.waitSignal(box.entered) as entered:
        write(qtbot, box, "-12.34")
    assert entered.args == [-12.34]
    assert (box.value, box.text()) == (-12.34, "-12.3")


def test_a_number_outside_the_limits_becomes_the_limit(qtbot, box):
    write(qtbot, box, "1e6")
    assert (box.value, box.text()) == (100.0, "100.0")


def test_what_is_no_number_is_discarded(qtbot, box):
    with qtbot.assertNotEmitted(box.entered):
        write(qtbot, box, "abc")
    assert (box.value, box.text()) == (20.0, "20.0")


def test_a_shown_value_leaves_what_is_being_typed_alone(qtbot, box):
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "7")
    box.show_value(50.0)
    assert box.text() == "7"
    box.clearFocus()
    box.show_value(None)
    assert box.text() == ""


@pytest.mark.parametrize(
    ("text", "number"), [(" 3.5 ", 3.5), ("\N{MINUS SIGN}2", -2.0), ("inf", None), ("x", None)]
)
def test_numbers_as_people_write_them(qapp, text, number):
    assert parse_number(text) == number
