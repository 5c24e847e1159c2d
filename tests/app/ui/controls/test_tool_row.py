"""The tool row says how the spectrum is shown, and each button opens its control."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from app.ui.candidate.view_options import SMOOTHINGS_PX
from app.ui.controls.smoothing_control import pixel_kms
from app.ui.controls.tool_row import ToolRow
from tests.app.ui.controls.conftest import type_in
from tests.app.ui.steps import click, shown_in


@pytest.fixture
def tools(qtbot, context):
    made = ToolRow(context)
    shown_in(qtbot, made, 700, 40)
    context.current.start()
    qtbot.waitUntil(lambda: context.current.spectrum is not None)
    return made


def texts(tools):
    return {name: button.text().removesuffix(" ▾") for name, button in tools.buttons.items()}


def test_buttons_say_the_state_in_few_words(tools, context):
    assert texts(tools)["smoothing"] == "Smooth" and texts(tools)["velocity"] == "RV 0"
    assert texts(tools)["template"] == "Template –"
    context.view.change_smoothing(3)
    context.view.shift_velocity(160)
    assert texts(tools)["smoothing"] == "Smooth 5 px"
    assert texts(tools)["velocity"] == "RV 160 km/s" and tools.buttons["velocity"].isChecked()
    context.view.set_window((6400.0, 6700.0))
    assert texts(tools)["range"] == "6400–6700 Å"
    context.view.change(lines=False)
    assert texts(tools)["lines"] == "Lines 0"
    assert texts(tools)["axes"] == "Axes" and not tools.buttons["axes"].isChecked()
    context.view.change(flux_log=True)
    assert texts(tools)["axes"] == "Axes log" and tools.buttons["axes"].isChecked()
    context.view.change(rest_axis=True, medium="air", wavelength_unit="nm")
    assert texts(tools)["axes"] == "Axes rest · nm +2"
    context.view.change(z=0.0)
    assert texts(tools)["range"] == "639.8–669.8 nm"


def test_a_button_opens_its_control_and_a_press_elsewhere_closes_it(qtbot, tools, context):
    click(qtbot, tools.buttons["velocity"])
    popover = tools.popovers["velocity"]
    assert popover.isVisible() and QApplication.activePopupWidget() is popover
    type_in(qtbot, tools.velocity.speed, "120")
    assert texts(tools)["velocity"] == "RV 120 km/s"
    qtbot.mouseClick(popover, Qt.MouseButton.LeftButton, pos=QPoint(-50, -50))
    qtbot.waitUntil(lambda: not popover.isVisible())


def test_popovers_stay_on_the_screen_and_leave_focus_and_words(qtbot, tools, context):
    for button in tools.buttons.values():
        assert button.focusPolicy() == Qt.FocusPolicy.NoFocus
    context.view.change_smoothing(3)
    for name, is_on in (("smoothing", True), ("velocity", False)):
        click(qtbot, tools.buttons[name])
        assert tools.buttons[name].isChecked() == is_on, name
        tools.popovers[name].close()
        assert tools.buttons[name].isChecked() == is_on, name
    # The row breaks anew where the text of a button grows.
    click(qtbot, tools.buttons["axes"])
    popover = tools.popovers["axes"]
    before = popover.pos()
    tools.buttons["axes"].move(0, 400)
    tools.axes.updateGeometry()
    QApplication.processEvents()
    assert popover.pos() == before
    popover.close()
    screen = tools.screen().availableGeometry()
    tools.move(screen.right() - 60, screen.bottom() - 40)
    for name, button in tools.buttons.items():
        click(qtbot, button)
        assert screen.contains(tools.popovers[name].frameGeometry()), name
        tools.popovers[name].hide()


def test_smoothing_is_stated_in_pixels_and_speed_up_to_its_last_step(qtbot, panel, context):
    assert panel.smoothing.value.text() == "none"
    click(qtbot, panel.smoothing.more)
    width = SMOOTHINGS_PX[1]
    speed = width * pixel_kms(context.current.spectrum)
    assert panel.smoothing.value.text() == f"{width:g} px · {speed:.0f} km/s"
    click(qtbot, panel.smoothing.more)
    click(qtbot, panel.smoothing.less)
    assert context.view.options.smoothing == 1
    click(qtbot, panel.smoothing.off)
    assert context.view.options.smoothing == 0 and not panel.smoothing.less.isEnabled()
    context.view.change(smoothing=len(SMOOTHINGS_PX) - 1)
    assert not panel.smoothing.more.isEnabled()
