"""Smoothing, velocity, range and lines: what is pressed and typed is what the view holds."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from app.ui.candidate.view_options import RV_LIMIT_KMS, SMOOTHINGS_PX, Z_LIMIT
from app.ui.controls.smoothing_control import pixel_kms
from app.ui.controls.velocity_control import TICKS, tick_at, velocity_at

LIGHT_KMS = 299_792.458


def click(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def tick(qtbot, box):
    """On its square: what is right of its words is no part of it."""
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))


def type_in(qtbot, box, text, key=Qt.Key.Key_Return):
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, text)
    if key is not None:
        qtbot.keyClick(box, key)


def test_smoothing_is_stated_in_pixels_and_speed(qtbot, panel, context):
    assert panel.smoothing.value.text() == "none"
    click(qtbot, panel.smoothing.more)
    width = SMOOTHINGS_PX[1]
    speed = width * pixel_kms(context.current.spectrum)
    assert panel.smoothing.value.text() == f"{width:g} px · {speed:.0f} km/s"
    click(qtbot, panel.smoothing.more)
    click(qtbot, panel.smoothing.less)
    assert context.view.options.smoothing == 1
    click(qtbot, panel.smoothing.off)
    assert context.view.options.smoothing == 0
    assert not panel.smoothing.less.isEnabled()


def test_the_last_step_of_smoothing_ends_it(qtbot, panel, context):
    context.view.change(smoothing=len(SMOOTHINGS_PX) - 1)
    assert not panel.smoothing.more.isEnabled()


def test_a_folded_section_says_what_it_holds(qtbot, panel, context):
    section = panel.sections["smoothing"]
    context.view.change_smoothing(1)
    click(qtbot, section.header)
    assert not panel.smoothing.isVisible()
    assert section.header.note == panel.smoothing.text


def test_a_typed_velocity_moves_the_lines(qtbot, panel, context):
    type_in(qtbot, panel.velocity.speed, "-150.5")
    assert context.view.options.velocity_kms == pytest.approx(-150.5)
    assert panel.velocity.slider.value() == tick_at(-150.5)
    assert panel.velocity.z.text() == f"{-150.5 / LIGHT_KMS:.5f}"


def test_a_typed_redshift_may_be_large(qtbot, panel, context):
    type_in(qtbot, panel.velocity.z, "2.31")
    assert context.view.options.z == pytest.approx(2.31)
    assert "z = 2.31" in panel.velocity.text
    assert panel.velocity.slider.value() == TICKS
    type_in(qtbot, panel.velocity.z, "99")
    assert context.view.options.z == Z_LIMIT
    click(qtbot, panel.velocity.reset)
    assert context.view.options.z == 0.0
    assert panel.velocity.speed.text() == "0.0"


def test_the_slider_is_fine_around_zero(panel, context):
    panel.velocity.slider.setValue(100)
    assert context.view.options.velocity_kms == pytest.approx(30.0)
    panel.velocity.slider.setValue(-TICKS)
    assert context.view.options.velocity_kms == pytest.approx(-RV_LIMIT_KMS)
    assert [tick_at(velocity_at(tick)) for tick in (-1000, 0, 500, 1000)] == [-1000, 0, 500, 1000]


@pytest.mark.parametrize("text", ["", "abc", "nan", "inf", "1e999", "--3"])
def test_what_is_no_number_is_put_back(qtbot, panel, context, text):
    type_in(qtbot, panel.velocity.speed, "20")
    type_in(qtbot, panel.velocity.speed, text or " ")
    assert context.view.options.velocity_kms == pytest.approx(20.0)
    assert panel.velocity.speed.text() == "20.0"


def test_giving_the_plot_back_takes_nothing(qtbot, panel, context):
    type_in(qtbot, panel.velocity.speed, "77", key=None)
    panel.setFocus(Qt.FocusReason.OtherFocusReason)
    panel.velocity.speed.clearFocus()
    assert context.view.options.z == 0.0
    assert panel.velocity.speed.text() == "0.0"


def test_leaving_the_box_with_the_tab_key_takes_it(qtbot, panel, context):
    type_in(qtbot, panel.velocity.speed, "77", key=Qt.Key.Key_Tab)
    assert context.view.options.velocity_kms == pytest.approx(77.0)


def test_a_key_elsewhere_does_not_spoil_what_is_being_typed(qtbot, panel, context):
    type_in(qtbot, panel.velocity.speed, "12", key=None)
    context.view.shift_velocity(20.0)
    assert panel.velocity.speed.text() == "12"


def test_boxes_set_the_range(qtbot, panel, context):
    type_in(qtbot, panel.range.low, "6400")
    type_in(qtbot, panel.range.high, "6700")
    assert context.view.window == (6400.0, 6700.0)
    assert panel.range.slider.values == (6400.0, 6700.0)


def test_boxes_the_wrong_way_round_and_too_close_make_a_range_all_the_same(qtbot, panel, context):
    type_in(qtbot, panel.range.high, "6500")
    type_in(qtbot, panel.range.low, "6700")
    assert context.view.window == (6500.0, 6700.0)
    type_in(qtbot, panel.range.low, "6700")
    assert context.view.window == (6697.5, 6702.5)


def drag(qtbot, slider, value, to):
    """The mouse is pressed on one value and let go on another."""
    left = Qt.MouseButton.LeftButton
    start, end = (QPoint(round(slider.position(v)), slider.height() // 2) for v in (value, to))
    qtbot.mousePress(slider, left, pos=start)
    qtbot.mouseMove(slider, end)
    qtbot.mouseRelease(slider, left, pos=end)


def test_a_dragged_handle_changes_the_range(qtbot, panel, context):
    context.view.set_window((5000.0, 6000.0))
    assert panel.range.slider.values == (5000.0, 6000.0)
    drag(qtbot, panel.range.slider, 6000.0, 7000.0)
    low, high = context.view.window
    assert (low, high) == (5000.0, pytest.approx(7000.0, abs=30.0))
    assert panel.range.high.text() == f"{high:.1f}"
    drag(qtbot, panel.range.slider, 5000.0, 9900.0)
    low, high = context.view.window
    assert 0 < high - low < 30.0


def test_what_lies_between_the_handles_is_moved_as_it_is(qtbot, panel, context):
    context.view.set_window((5000.0, 6000.0))
    drag(qtbot, panel.range.slider, 5500.0, 6500.0)
    low, high = context.view.window
    assert (low, high - low) == (pytest.approx(6000.0, abs=30.0), pytest.approx(1000.0))
    drag(qtbot, panel.range.slider, 6500.0, 60_000.0)
    assert context.view.window[1] == pytest.approx(panel.range.bounds[1])


def test_both_handles_at_the_ends_are_the_whole_spectrum(qtbot, panel, context):
    context.view.set_window((5000.0, context.current.spectrum.range[1]))
    drag(qtbot, panel.range.slider, 5000.0, 100.0)
    assert context.view.window is None
    assert not panel.range.whole.isEnabled()


def test_a_click_beside_the_handles_brings_the_nearer_one(qtbot, panel, context):
    context.view.set_window((5000.0, 5500.0))
    drag(qtbot, panel.range.slider, 7000.0, 7000.0)
    assert context.view.window == (5000.0, pytest.approx(7000.0, abs=30.0))


def test_the_task_has_its_lines_and_others_can_be_drawn(qtbot, panel, context):
    lines = panel.lines
    panel.sections["lines"].set_open(True)
    own = frozenset(context.current.session.task.lines)
    assert lines.chosen == own
    assert not lines.task_sets.isEnabled()
    tick(qtbot, lines.boxes["metals"])
    assert context.view.options.line_sets == own | {"metals"}
    tick(qtbot, lines.boxes["metals"])
    assert context.view.options.line_sets is None
    tick(qtbot, lines.boxes["helium"])
    click(qtbot, lines.task_sets)
    assert context.view.options.line_sets is None
    assert lines.boxes["helium"].isChecked()


def test_lines_and_names_have_a_switch(qtbot, panel, context):
    panel.sections["lines"].set_open(True)
    tick(qtbot, panel.lines.labels)
    assert not context.view.options.labels
    tick(qtbot, panel.lines.lines)
    assert not context.view.options.lines
    assert not panel.lines.boxes["helium"].isEnabled()
    assert panel.sections["lines"].header.note == "none"


LIST = """
name = "mine"
title = "My lines"
[[lines]]
id = "mine_1"
label = "mine"
wavelength = 6000.0
"""


def test_a_list_of_the_users_is_read_kept_and_drawn(qtbot, panel, context, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(LIST, encoding="utf-8")
    panel.lines.add_list(str(path))
    qtbot.waitUntil(lambda: "mine" in panel.lines.boxes)
    assert context.settings.settings.line_lists == (str(path),)
    assert "mine" in context.view.options.line_sets
    assert panel.lines.boxes["mine"].text() == "My lines"


def test_a_faulty_list_is_told_and_not_kept(qtbot, panel, context, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text("name = 3", encoding="utf-8")
    with qtbot.waitSignal(context.current.failed) as told:
        panel.lines.add_list(str(path))
    assert "bad.toml" in told.args[0]
    assert context.settings.settings.line_lists == ()
    assert "helium" in panel.lines.boxes
