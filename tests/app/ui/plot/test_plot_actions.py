"""The actions of the plot, by key or by name."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from agent.spectra.readers import read
from app.ui.candidate.view_options import RV_FINE_KMS, RV_STEP_KMS, SMOOTHINGS_PX
from app.ui.plot import plot_actions
from tests.app.ui.plot.steps import HALPHA, heights, on_to, shown


def test_keys_zoom_pan_and_come_back(qtbot, context, panel, keys):
    whole = context.current.spectrum.range
    qtbot.keyClick(panel, Qt.Key.Key_Plus)
    lo, hi = shown(panel)
    assert hi - lo == pytest.approx((whole[1] - whole[0]) / 1.5)
    levels = heights(panel)
    qtbot.keyClick(panel, Qt.Key.Key_BracketRight)
    assert shown(panel)[0] > lo and shown(panel)[1] - shown(panel)[0] == pytest.approx(hi - lo)
    assert heights(panel) == levels
    qtbot.keyClick(panel, Qt.Key.Key_BracketLeft)
    assert shown(panel) == pytest.approx([lo, hi])
    assert context.view.window == pytest.approx((lo, hi))
    qtbot.keyClick(panel, Qt.Key.Key_W)
    assert context.view.window is None and tuple(shown(panel)) == pytest.approx(whole)
    qtbot.keyClick(panel, Qt.Key.Key_Minus)
    assert context.view.window is None


def test_panning_stops_at_the_end_of_the_spectrum(qtbot, context, panel, keys):
    context.view.set_window(HALPHA)
    for _ in range(60):
        qtbot.keyClick(panel, Qt.Key.Key_BracketRight)
    assert shown(panel)[1] == pytest.approx(context.current.spectrum.range[1])
    assert shown(panel)[1] - shown(panel)[0] == pytest.approx(300)


def test_autoscale_is_asked_for_and_a_jump_does_it(qtbot, context, panel, keys):
    context.view.set_window(HALPHA)
    scaled = heights(panel)
    panel.plot.show_flux(-1e4, 1e4)
    qtbot.keyClick(panel, Qt.Key.Key_Y)
    assert heights(panel) == pytest.approx(scaled)


def test_peek_lasts_as_long_as_the_key(qtbot, context, panel, keys):
    context.view.set_window(HALPHA)
    qtbot.keyPress(panel, Qt.Key.Key_Z)
    assert tuple(shown(panel)) == pytest.approx(context.current.spectrum.range)
    assert context.view.window == HALPHA
    qtbot.keyRelease(panel, Qt.Key.Key_Z)
    assert shown(panel) == pytest.approx(list(HALPHA))


@pytest.mark.parametrize(
    ("key", "part"), [("L", "marks"), ("E", "errors"), ("M", "shades")], ids=lambda each: each
)
def test_what_is_drawn_is_switched(qtbot, panel, keys, key, part):
    item = getattr(panel.plot, part)
    assert item.isVisible()
    qtbot.keyClick(panel, key)
    assert not item.isVisible()
    qtbot.keyClick(panel, key)
    assert item.isVisible()


def test_smoothing_states_its_width_and_stays(qtbot, context, panel, keys):
    qtbot.keyClick(panel, Qt.Key.Key_S)
    qtbot.keyClick(panel, Qt.Key.Key_S)
    width = panel.plot.trace.smoothing_kms
    text = f"Smoothed {SMOOTHINGS_PX[2]:g} px = {width:.0f} km/s (FWHM)"
    assert panel.header.note.text() == text
    on_to(qtbot, context, 2)
    assert panel.plot.trace.smoothing_px == SMOOTHINGS_PX[2]
    qtbot.keyClick(panel, Qt.Key.Key_S, Qt.KeyboardModifier.ShiftModifier)
    assert panel.header.note.text() == ""


def test_velocity_moves_the_lines_and_the_rest_axis_but_not_the_sky(qtbot, context, panel, keys):
    shift, alt = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier
    sky, line = panel.plot.shades.windows, panel.plot.marks.marks[0].wavelength
    qtbot.keyClick(panel, Qt.Key.Key_Right, shift)
    qtbot.keyClick(panel, Qt.Key.Key_Right, shift | alt)
    kms = RV_STEP_KMS + RV_FINE_KMS
    assert context.view.options.velocity_kms == pytest.approx(kms)
    moved = panel.plot.marks.marks[0].wavelength
    assert moved == pytest.approx(line * (1 + kms / 299792.458), rel=1e-9)
    assert panel.plot.shades.windows == sky
    context.view.change(z=0.01)
    context.view.set_window((6464.6, 6664.6))
    qtbot.keyClick(panel, Qt.Key.Key_F)
    assert "Rest" in panel.plot.wavelength_axis.title
    x, text = panel.plot.wavelength_axis.marks[0]
    assert panel.plot.stage.scale_now.wavelength(x) == pytest.approx(float(text) * 1.01)


def test_reset_takes_everything_back(qtbot, context, panel, keys):
    context.view.change(smoothing=3, z=0.01, rest_axis=True)
    context.view.set_window(HALPHA)
    qtbot.keyClick(panel, Qt.Key.Key_R)
    options = context.view.options
    assert (options.smoothing, options.z, options.rest_axis) == (0, 0.0, False)
    assert context.view.window is None


def test_range_and_measurements_are_copied(qtbot, context, panel):
    context.view.set_window((6450.0, 6750.0))
    with qtbot.waitSignal(context.current.message):
        context.commands.run("copy_range")
    text = QGuiApplication.clipboard().text()
    assert "range: 6450.00 to 6750.00 Å, observed, vacuum" in text
    assert "S/N per pixel" in text and "SIMULATED" in text


@pytest.mark.parametrize("suffix", [".csv", ".fits", ".vot"])
def test_the_spectrum_on_screen_is_saved(qtbot, context, panel, tmp_path, monkeypatch, suffix):
    out = tmp_path / f"mine{suffix}"
    chosen = staticmethod(lambda *about: (str(out.with_suffix("")), f"x (*{suffix})"))
    monkeypatch.setattr(plot_actions.QFileDialog, "getSaveFileName", chosen)
    context.view.set_window((6400.0, 6700.0))
    context.view.change_smoothing(2)
    with qtbot.waitSignal(context.current.message) as told:
        context.commands.run("save_spectrum")
    assert told.args[0] == f"Saved: {out}"
    found = read(out)
    assert 6400.0 <= found.range[0] < found.range[1] <= 6700.0
    own = panel.spectrum.object_id  # which a CSV has only in a comment
    assert found.object_id == ("mine" if suffix == ".csv" else own)
