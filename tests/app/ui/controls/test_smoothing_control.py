"""Smoothing, stated in pixels and km/s."""

from __future__ import annotations

from app.ui.candidate.view_options import SMOOTHINGS_PX
from app.ui.controls.smoothing_control import pixel_kms
from tests.app.ui.controls.steps import click


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
