"""Velocity and redshift, typed or set with the slider."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.ui.candidate.view_options import RV_LIMIT_KMS, Z_LIMIT
from app.ui.controls.velocity_control import TICKS, tick_at, velocity_at
from tests.app.ui.controls.steps import click, type_in

LIGHT_KMS = 299_792.458


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
