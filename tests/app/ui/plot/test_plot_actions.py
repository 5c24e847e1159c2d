"""The actions of the plot, by key or by name."""

from __future__ import annotations

import numpy as np
import pytest
from astropy.io import fits
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from agent.spectra.readers import read
from app.ui.candidate.view_options import RV_FINE_KMS, RV_STEP_KMS, SMOOTHINGS_PX, ViewOptions
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
    for name in (
        "flux_log",
        "flux_zero",
        "flux_normalised",
        "axis_nm",
        "axis_air",
        "velocity_axis",
    ):
        context.commands.run(name)
    assert context.view.options.velocity_line is not None
    context.view.set_window(HALPHA)
    qtbot.keyClick(panel, Qt.Key.Key_R)
    assert context.view.options == ViewOptions()
    assert context.view.window is None


def test_axes_stay_from_candidate_to_candidate(qtbot, context, panel, keys):
    for name in ("flux_log", "flux_normalised", "axis_nm", "axis_air"):
        context.commands.run(name)
    qtbot.keyClick(panel, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: context.current.is_painted)
    qtbot.waitUntil(lambda: panel.plot.trace.quantity == "normalised")
    assert panel.plot.trace.is_log
    assert panel.plot.wavelength_axis.title == "Wavelength (nm, air)"
    assert panel.plot.flux_axis.title == "Normalised flux"
    assert "nm · air" in panel.caption and "normalised · log" in panel.caption
    low, high = panel.plot.stage.ranges[1]
    assert low < 0.0 < high  # the logarithm of a continuum of one


def test_ticks_are_round_in_the_unit_shown(context, panel):
    context.view.change(z=0.001, rest_axis=True, wavelength_unit="nm", medium="air")
    frame, scale = panel.frame, panel.plot.stage.scale_now
    marks = panel.plot.wavelength_axis.marks
    assert len(marks) > 3
    for x, text in marks:
        assert float(text) % 50 == 0
        assert frame.shown(scale.wavelength(x)) == pytest.approx(float(text), abs=1e-6)


def test_velocities_about_a_line_show_its_surroundings(context, panel):
    line = next(each.line for each in panel.plot.marks.marks if each.line.id == "H_alpha")
    context.view.change(velocity_line=line)
    assert context.view.window == pytest.approx(
        tuple(line.wavelength * (1 + v / 299792.458) for v in (-3000.0, 3000.0))
    )
    texts = [text for _, text in panel.plot.wavelength_axis.marks]
    assert "0" in texts and "1000" in texts
    context.view.set_window(HALPHA)
    context.view.change(velocity_line=None)
    context.view.change(velocity_line=line)
    assert context.view.window == HALPHA  # close enough, and left as it is


def test_a_logarithmic_axis_draws_all_parts_where_they_belong(context, panel):
    context.view.change(smoothing=2, flux_log=True)
    plot, drawn = panel.plot, panel.plot.trace
    np.testing.assert_allclose(10.0**plot.curve.flux, np.maximum(drawn.flux, 1e-12), rtol=1e-9)
    known = np.isfinite(plot.curve.flux) & np.isfinite(plot.errors.low)
    assert (plot.errors.high >= plot.errors.low)[known].all() and known.sum() > 3000
    assert (plot.errors.low[known] <= plot.curve.flux[known]).all()
    assert np.nanmax(panel.overview.curve.flux) < 7.0
    low, high = plot.stage.ranges[1]
    assert low < np.nanmedian(plot.curve.flux) < high


def test_a_file_says_the_axes_that_change_its_numbers(qtbot, context, panel, tmp_path, monkeypatch):
    out = tmp_path / "mine.fits"
    chosen = staticmethod(lambda *about: (str(out), "x (*.fits)"))
    monkeypatch.setattr(plot_actions.QFileDialog, "getSaveFileName", chosen)
    context.view.change(flux="normalised", medium="air", wavelength_unit="nm", flux_zero=True)
    qtbot.waitUntil(lambda: panel.plot.trace.quantity == "normalised")
    with qtbot.waitSignal(context.current.message):
        context.commands.run("save_spectrum")
    header = fits.getheader(out, 1)
    assert (header["SHOWN_FL"], header["SHOWN_WL"]) == ("normalised", "nm, observed, air")
    np.testing.assert_allclose(read(out).flux, panel.spectrum.flux)


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
