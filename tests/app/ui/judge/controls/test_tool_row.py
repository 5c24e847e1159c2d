"""The tool row says how the spectrum is shown, and each button opens its control."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from app.ui.judge.controls import tool_row
from app.ui.judge.controls.tool_row import ToolRow, pixel_kms
from app.ui.session.candidate.view_options import SMOOTHINGS_PX
from tests.app.ui.judge.controls.conftest import tick, type_in
from tests.app.ui.steps import click, press_tool, said, shown_in


@pytest.fixture
def tools(qtbot, context):
    made = shown_in(qtbot, ToolRow(context), 700, 40)
    context.current.start()
    qtbot.waitUntil(lambda: context.current.spectrum is not None)
    return made


def texts(tools):
    return {name: button.text().removesuffix(" ▾") for name, button in tools.buttons.items()}


def test_buttons_say_the_state_in_few_words(tools, context):
    assert texts(tools)["smoothing"] == "Smooth" and texts(tools)["velocity"] == "RV 0"
    assert texts(tools)["template"] == "Template –"
    context.view.change_smoothing(3)
    context.velocity.shift(160)
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
    assert tools.buttons["velocity"].isHidden()  # as it is as usual: under "More"
    press_tool(qtbot, tools, "velocity")
    popover = tools.popovers["velocity"]
    assert popover.isVisible() and QApplication.activePopupWidget() is popover
    type_in(qtbot, tools.velocity.speed, "120")
    assert texts(tools)["velocity"] == "RV 120 km/s" and tools.buttons["velocity"].isVisible()
    qtbot.mouseClick(popover, Qt.MouseButton.LeftButton, pos=QPoint(-50, -50))
    qtbot.waitUntil(lambda: not popover.isVisible())


def test_popovers_stay_on_the_screen_and_leave_focus_and_words(qtbot, tools, context):
    for button in tools.buttons.values():
        assert button.focusPolicy() == Qt.FocusPolicy.NoFocus
    context.view.change_smoothing(3)
    for name, is_on in (("smoothing", True), ("lines", False)):
        click(qtbot, tools.buttons[name])
        assert tools.buttons[name].isChecked() == is_on, name
        tools.popovers[name].close()
        assert tools.buttons[name].isChecked() == is_on, name
    # The row breaks anew where the text of a button grows.
    context.view.change(flux_log=True)
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
    for name in tools.buttons:
        press_tool(qtbot, tools, name)
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


@pytest.fixture
def opened(monkeypatch):
    urls = []

    class Browser:
        works = True

        @staticmethod
        def openUrl(url):
            urls.append(url.toString(url.ComponentFormattingOption.FullyEncoded))
            return Browser.works

    monkeypatch.setattr(tool_row, "QDesktopServices", Browser)
    return urls, Browser


def make_real(context):
    """Replace the current spectrum as if it were from a telescope."""
    current = context.current
    current.spectrum = replace(current.spectrum, simulated=False, meta={"OBSID": "7&x=1"})
    current.spectrum_changed.emit(current.spectrum)


def test_pages_open_where_there_are_some_and_say_why_not(qtbot, panel, context, opened):
    assert context.current.spectrum.simulated
    for each in panel.links.pages.values():
        assert not each.isEnabled() and "simulated" in each.toolTip()
    assert "simulated" in said(qtbot, context, "open_simbad") and opened[0] == []
    make_real(context)
    candidate = context.current.candidate
    click(qtbot, panel.links.pages["open_simbad"])
    assert f"{candidate.ra:.6f}%20" in opened[0][0]
    context.commands.run("open_lamost")
    assert opened[0][1].endswith("?obsid=7%26x%3D1")
    opened[1].works = False
    assert "https://aladin" in said(qtbot, context, "open_aladin")
    ran = []
    context.commands.add("snapshot", lambda: ran.append("snapshot"))
    context.commands.add("copy_range", lambda: ran.append("copy_range"))
    click(qtbot, panel.links.picture)
    click(qtbot, panel.links.copy)
    assert ran == ["snapshot", "copy_range"] and "Ctrl+S" in panel.links.picture.text()


def test_without_a_candidate_nothing_opens(qtbot, context, opened):
    made = tool_row.Links(context)
    qtbot.addWidget(made)
    assert not made.pages["open_sdss"].isEnabled()
    assert "No object" in made.pages["open_sdss"].toolTip()


def test_lines_of_the_task_and_others_are_switched(qtbot, panel, context):
    lines = panel.lines
    own = frozenset(context.current.session.task.lines)
    assert lines.chosen == own and not lines.task_sets.isEnabled()
    tick(qtbot, lines.boxes["metals"])
    assert context.view.options.line_sets == own | {"metals"}
    tick(qtbot, lines.boxes["metals"])
    assert context.view.options.line_sets is None
    tick(qtbot, lines.boxes["helium"])
    click(qtbot, lines.task_sets)
    assert context.view.options.line_sets is None and lines.boxes["helium"].isChecked()
    tick(qtbot, panel.lines.labels)
    assert not context.view.options.labels
    tick(qtbot, panel.lines.lines)
    assert not context.view.options.lines and not panel.lines.boxes["helium"].isEnabled()
    assert panel.row.buttons["lines"].text() == "Lines 0 ▾"


LIST = """
name = "mine"
title = "My lines"
lines = [{ id = "mine_1", label = "mine", wavelength = 6000.0 }]
"""


def test_a_faulty_list_is_told_and_a_list_of_the_users_drawn(qtbot, panel, context, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text("name = 3", encoding="utf-8")
    with qtbot.waitSignal(context.current.failed) as signal:
        panel.lines.add_list(str(path))
    assert "bad.toml" in signal.args[0] and context.settings.settings.line_lists == ()
    assert "helium" in panel.lines.boxes
    path = tmp_path / "mine.toml"
    path.write_text(LIST, encoding="utf-8")
    panel.lines.add_list(str(path))
    qtbot.waitUntil(lambda: "mine" in panel.lines.boxes)
    assert context.settings.settings.line_lists == (str(path),)
    assert "mine" in context.view.options.line_sets
    assert panel.lines.boxes["mine"].text() == "My lines"
