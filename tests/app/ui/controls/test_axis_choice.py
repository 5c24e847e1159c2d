"""Alternatives side by side, of which one holds."""

from __future__ import annotations

import pytest

from app.ui.controls.axis_choice import AxisChoice
from app.ui.theme.theme import CurrentTheme
from tests.app.ui.controls.steps import click


@pytest.fixture
def choice(qtbot):
    made = AxisChoice("Unit", {"Å": "Å", "nm": "nm"}, CurrentTheme())
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    made.show_choice("Å")
    return made


def test_a_click_chooses(qtbot, choice):
    with qtbot.waitSignal(choice.chosen) as chosen:
        click(qtbot, choice.buttons["nm"])
    assert chosen.args == ["nm"]
    choice.show_choice("nm")
    assert [each.isChecked() for each in choice.buttons.values()] == [False, True]


def test_a_click_on_what_holds_leaves_it_so(qtbot, choice):
    click(qtbot, choice.buttons["Å"])
    assert choice.buttons["Å"].isChecked()
    assert choice.buttons["Å"].accessibleName() == "Unit: Å"
