"""The popover of the comparison, and its button in the tool row."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.ui.comparison.ratio import OFF, RATIO
from tests.app.ui.controls.steps import click, tick


def opened(qtbot, page):
    qtbot.mouseClick(page.tools.buttons["compare"], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(page.compare.isVisible)
    return page.compare


def test_the_button_says_how_many(qtbot, page, context):
    button = page.tools.buttons["compare"]
    assert button.text() == "Compare ▾" and not button.isChecked()
    control = opened(qtbot, page)
    click(qtbot, control.epochs)
    qtbot.waitUntil(lambda: button.text() == "Compare 2 ▾")
    assert button.isChecked()
    click(qtbot, control.lines[0][1])
    assert button.text() == "Compare 1 ▾"
    click(qtbot, control.clear)
    assert button.text() == "Compare ▾" and not control.lines
    page.tools.popovers["compare"].close()


def test_the_popover_is_as_high_as_before_when_all_is_removed(qtbot, page, context):
    control = opened(qtbot, page)
    popover = page.tools.popovers["compare"]
    before = popover.geometry()
    click(qtbot, control.epochs)
    qtbot.waitUntil(lambda: popover.height() > before.height())
    click(qtbot, control.clear)
    qtbot.waitUntil(lambda: popover.geometry() == before)
    popover.close()


def test_kept_and_what_is_below_the_plot_are_chosen(qtbot, page, context):
    control = opened(qtbot, page)
    tick(qtbot, control.kept)
    assert page.comparison.is_kept
    click(qtbot, control.modes[RATIO])
    assert page.ratio.mode == RATIO and control.modes[RATIO].isChecked()
    assert not control.modes[OFF].isChecked()
    click(qtbot, control.modes[OFF])
    assert page.ratio.mode == OFF
    page.tools.popovers["compare"].close()
