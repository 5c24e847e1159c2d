"""The wavelength window, typed or dragged."""

import pytest

from agent.spectra.lines import builtin_lines
from tests.app.ui.judge.controls.conftest import drag, type_in


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
