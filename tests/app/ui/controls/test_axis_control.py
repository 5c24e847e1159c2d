"""The axes of the plot, set by clicks; what a file does not allow is disabled with the reason."""

from __future__ import annotations

from dataclasses import replace

from app.ui.candidate.view_options import ViewOptions
from tests.app.ui.controls.steps import click, tick


def show(context, **changes):
    """The current spectrum with other facts."""
    context.current._set_spectrum(replace(context.current.spectrum, **changes), "")


def test_quantity_zero_and_logarithm_are_chosen(qtbot, panel, context):
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


def test_a_unit_that_is_no_density_allows_none_and_says_why(qtbot, panel, context):
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


def test_a_choice_that_the_next_file_does_not_allow_is_named(panel, context):
    show(context, flux_unit="mJy")
    context.view.change(flux="per_wavelength")
    show(context, flux_unit="")
    assert panel.axes.words == ["no f_λ from this unit"]


def test_unit_medium_and_rest_frame_are_chosen(qtbot, panel, context):
    click(qtbot, panel.axes.unit.buttons["nm"])
    click(qtbot, panel.axes.medium.buttons["air"])
    tick(qtbot, panel.axes.rest)
    options = context.view.options
    assert (options.wavelength_unit, options.medium, options.rest_axis) == ("nm", "air", True)
    assert panel.axes.words == ["rest", "nm", "air"]
    click(qtbot, panel.axes.usual)
    assert context.view.options == ViewOptions() and panel.axes.words == []


def test_the_medium_of_the_file_is_that_of_each_file(qtbot, panel, context):
    click(qtbot, panel.axes.medium.buttons["file"])
    show(context, medium_in_file="air")
    assert panel.axes.words == ["air"]
    assert "air" in panel.axes.medium.buttons["file"].toolTip()
    show(context, medium_in_file="vacuum")
    assert panel.axes.words == []


def test_velocities_about_a_line_are_chosen_from_those_that_are_drawn(panel, context):
    control = panel.axes
    control.lines.aboutToShow.emit()
    menus = [each.menu() for each in control.lines.actions() if each.menu() is not None]
    lines = {action.text(): action for menu in menus for action in menu.actions()}
    lines["Hα"].trigger()
    assert context.view.options.velocity_line.label == "Hα"
    assert control.words == ["km/s about Hα"] and "Hα" in control.velocity.text()
    assert not control.unit.isEnabled() and not control.medium.isEnabled()
    control.lines.aboutToShow.emit()
    control.lines.actions()[0].trigger()
    assert context.view.options.velocity_line is None
