"""The tool row says how the spectrum is shown, and each button opens its control: axes, range."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from agent.spectra.lines import builtin_lines
from app.ui.base.theme.theme import CurrentTheme
from app.ui.judge.controls import tool_row
from app.ui.judge.controls.tool_row import AxisChoice, ToolRow, pixel_kms
from app.ui.session.candidate.view_options import SMOOTHINGS_PX, ViewOptions
from tests.app.ui.judge.controls.conftest import drag, tick, type_in
from tests.app.ui.steps import click, heard, press_tool, said, shown_in


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


def show(context, **changes):
    """The current spectrum with other facts."""
    context.current._set_spectrum(replace(context.current.spectrum, **changes), "")


def test_quantity_unit_medium_and_frame_are_chosen(qtbot, panel, context):
    show(context, flux_unit="1e-17 erg/s/cm2/A")
    click(qtbot, panel.axes.flux.buttons["per_frequency"])
    tick(qtbot, panel.axes.zero)
    options = context.view.options
    assert (options.flux, options.flux_zero) == ("per_frequency", True)
    assert panel.axes.words == ["f_ν", "from 0"]
    tick(qtbot, panel.axes.log)
    assert context.view.options.flux_log and not panel.axes.zero.isEnabled()
    assert panel.axes.words == ["f_ν", "log"]
    click(qtbot, panel.axes.flux.buttons["normalised"])
    assert context.view.options.flux == "normalised"
    click(qtbot, panel.axes.usual)
    click(qtbot, panel.axes.unit.buttons["nm"])
    click(qtbot, panel.axes.medium.buttons["air"])
    tick(qtbot, panel.axes.rest)
    options = context.view.options
    assert (options.wavelength_unit, options.medium, options.rest_axis) == ("nm", "air", True)
    assert panel.axes.words == ["rest", "nm", "air"]
    click(qtbot, panel.axes.usual)
    assert context.view.options == ViewOptions() and panel.axes.words == []


def test_what_the_file_does_not_allow_and_velocities_about_a_line(qtbot, panel, context):
    buttons = panel.axes.flux.buttons
    for unit, reason in (("", "no unit of flux"), ("counts", "unit, ct, is no flux density")):
        show(context, flux_unit=unit)
        assert not buttons["per_frequency"].isEnabled()
        assert not buttons["per_wavelength"].isEnabled()
        assert panel.axes.reason.isVisible() and reason in panel.axes.reason.text()
        click(qtbot, buttons["per_frequency"])
        assert context.view.options.flux == "file"
    show(context, flux_unit="mJy")
    assert buttons["per_wavelength"].isEnabled() and not panel.axes.reason.isVisible()
    click(qtbot, panel.axes.usual)
    context.view.change(flux="per_wavelength")
    show(context, flux_unit="")
    assert panel.axes.words == ["no f_λ from this unit"]
    click(qtbot, panel.axes.usual)
    click(qtbot, panel.axes.medium.buttons["file"])
    show(context, medium_in_file="air")
    assert panel.axes.words == ["air"] and "air" in panel.axes.medium.buttons["file"].toolTip()
    show(context, medium_in_file="vacuum")
    assert panel.axes.words == []
    click(qtbot, panel.axes.usual)
    panel.axes.lines.aboutToShow.emit()
    menus = [each.menu() for each in panel.axes.lines.actions() if each.menu() is not None]
    lines = {action.text(): action for menu in menus for action in menu.actions()}
    lines["Hα"].trigger()
    assert context.view.options.velocity_line.label == "Hα"
    assert panel.axes.words == ["km/s about Hα"] and "Hα" in panel.axes.velocity.text()
    assert not panel.axes.unit.isEnabled() and not panel.axes.medium.isEnabled()
    panel.axes.lines.aboutToShow.emit()
    panel.axes.lines.actions()[0].trigger()
    assert context.view.options.velocity_line is None


@pytest.fixture
def choice(qtbot):
    made = shown_in(qtbot, AxisChoice("Unit", {"Å": "Å", "nm": "nm"}, CurrentTheme()))
    made.show_choice("Å")
    return made


def test_one_of_several_is_chosen_by_a_click(qtbot, choice):
    assert heard(qtbot, choice.chosen, lambda: click(qtbot, choice.buttons["nm"])) == "nm"
    choice.show_choice("nm")
    assert [each.isChecked() for each in choice.buttons.values()] == [False, True]
    choice.show_choice("Å")
    click(qtbot, choice.buttons["Å"])
    assert choice.buttons["Å"].isChecked() and choice.buttons["Å"].accessibleName() == "Unit: Å"


def test_typed_ranges_are_those_of_the_axis(qtbot, panel, context):
    type_in(qtbot, panel.range.low, "6400")
    type_in(qtbot, panel.range.high, "6700")
    assert context.view.window == (6400.0, 6700.0)
    assert panel.range.slider.values == (6400.0, 6700.0)
    type_in(qtbot, panel.range.high, "6500")
    type_in(qtbot, panel.range.low, "6700")
    assert context.view.window == (6500.0, 6700.0)
    type_in(qtbot, panel.range.low, "6700")
    assert context.view.window == (6697.5, 6702.5)
    context.view.change(wavelength_unit="nm", z=0.01, rest_axis=True)
    assert panel.range.unit.text() == "nm"
    type_in(qtbot, panel.range.low, "640")
    type_in(qtbot, panel.range.high, "670")
    assert context.view.window == (pytest.approx(6464.0), pytest.approx(6767.0))
    context.view.change(velocity_line=builtin_lines()["H_alpha"])
    type_in(qtbot, panel.range.low, "-1000")
    type_in(qtbot, panel.range.high, "1000")
    low, high = context.view.window
    assert 0.5 * (low + high) == pytest.approx(6564.61 * 1.01, abs=0.1)
    assert panel.range.unit.text() == "km/s"
    type_in(qtbot, panel.range.low, "-900000")
    assert context.view.window[0] == pytest.approx(100.0)


def test_handles_and_what_lies_between_are_dragged(qtbot, panel, context):
    context.view.set_window((5000.0, 6000.0))
    assert panel.range.slider.values == (5000.0, 6000.0)
    drag(qtbot, panel.range.slider, 6000.0, 7000.0)
    low, high = context.view.window
    assert (low, high) == (5000.0, pytest.approx(7000.0, abs=30.0))
    assert panel.range.high.text() == f"{high:.1f}"
    drag(qtbot, panel.range.slider, 5000.0, 9900.0)
    low, high = context.view.window
    assert 0 < high - low < 30.0
    context.view.set_window((5000.0, 6000.0))
    drag(qtbot, panel.range.slider, 5500.0, 6500.0)
    low, high = context.view.window
    assert (low, high - low) == (pytest.approx(6000.0, abs=30.0), pytest.approx(1000.0))
    drag(qtbot, panel.range.slider, 6500.0, 60_000.0)
    assert context.view.window[1] == pytest.approx(panel.range.bounds[1])
    context.view.set_window((5000.0, context.current.spectrum.range[1]))
    drag(qtbot, panel.range.slider, 5000.0, 100.0)
    assert context.view.window is None and not panel.range.whole.isEnabled()
    context.view.set_window((5000.0, 5500.0))
    drag(qtbot, panel.range.slider, 7000.0, 7000.0)
    assert context.view.window == (5000.0, pytest.approx(7000.0, abs=30.0))
