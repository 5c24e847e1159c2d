"""The axes of the plot, set by clicks; what a file does not allow is disabled with the reason."""

from dataclasses import replace

import pytest

from app.ui.base.theme.theme import CurrentTheme
from app.ui.judge.controls.tool_row import AxisChoice
from app.ui.session.candidate.view_options import ViewOptions
from tests.app.ui.judge.controls.conftest import tick
from tests.app.ui.steps import click, heard, shown_in


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
