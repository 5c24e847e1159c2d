"""The actions of the plot, by key or by name."""

from pathlib import Path

import numpy as np
import pytest
from astropy.io import fits
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog

from agent.spectra.readers import read
from app.ui.judge.plot.plot_actions import PNG_SCALE, TITLE_PX, save_snapshot
from app.ui.judge.plot.shades import band_columns
from app.ui.session.candidate import view_options
from app.ui.session.candidate.view_options import SMOOTHINGS_PX, ViewOptions
from tests.app.ui.judge.plot.conftest import HALPHA, heights, on_to, shown
from tests.app.ui.steps import said
from tests.processes import full_disk


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
    context.commands.run("reset")
    context.view.set_window(HALPHA)
    for _ in range(60):
        qtbot.keyClick(panel, Qt.Key.Key_BracketRight)
    assert shown(panel)[1] == pytest.approx(context.current.spectrum.range[1])
    assert shown(panel)[1] - shown(panel)[0] == pytest.approx(300)
    context.commands.run("reset")
    shift, alt = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier
    sky, line = panel.plot.shades.windows, panel.plot.marks.marks[0].wavelength
    qtbot.keyClick(panel, Qt.Key.Key_Right, shift)
    qtbot.keyClick(panel, Qt.Key.Key_Right, shift | alt)
    kms = view_options.RV_STEP_KMS + view_options.RV_FINE_KMS
    assert context.view.options.velocity_kms == pytest.approx(kms)
    moved = panel.plot.marks.marks[0].wavelength
    assert moved == pytest.approx(line * (1 + kms / 299792.458), rel=1e-9)
    assert panel.plot.shades.windows == sky
    context.view.change(z=0.01)
    context.view.set_window((6464.6, 6664.6))
    qtbot.keyClick(panel, Qt.Key.Key_F)
    assert "Rest" in panel.plot.wavelength_axis.title
    x, text = panel.plot.wavelength_axis.content.marks[0]
    assert panel.plot.stage.scale_now.wavelength(x) == pytest.approx(float(text) * 1.01)


def test_axes_and_smoothing_stay_until_a_reset(qtbot, context, panel, keys):
    qtbot.keyClick(panel, Qt.Key.Key_S)
    qtbot.keyClick(panel, Qt.Key.Key_S)
    width = panel.plot.trace.smoothing_kms
    text = f"Smoothed {SMOOTHINGS_PX[2]:g} px = {width:.0f} km/s (FWHM)"
    assert panel.header.note.text() == text
    on_to(qtbot, context, 2)
    assert panel.plot.trace.smoothing_px == SMOOTHINGS_PX[2]
    qtbot.keyClick(panel, Qt.Key.Key_S, Qt.KeyboardModifier.ShiftModifier)
    assert panel.header.note.text() == ""
    context.commands.run("reset")
    for name in ("flux_log", "flux_normalised", "axis_nm", "axis_air"):
        context.commands.run(name)
    qtbot.keyClick(panel, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: context.current.is_painted)
    qtbot.waitUntil(lambda: panel.plot.trace.quantity == "normalised")
    assert panel.plot.trace.is_log and panel.plot.wavelength_axis.title == "Wavelength (nm, air)"
    assert panel.plot.flux_axis.title == "Normalised flux"
    assert "nm · air" in panel.caption and "normalised · log" in panel.caption
    low, high = panel.plot.stage.ranges[1]
    assert low < 0.0 < high  # the logarithm of a continuum of one
    context.commands.run("reset")
    context.view.change(smoothing=3, z=0.01, rest_axis=True)
    names = "flux_log", "flux_zero", "flux_normalised", "axis_nm", "axis_air", "velocity_axis"
    for name in names:
        context.commands.run(name)
    assert context.view.options.velocity_line is not None
    context.view.set_window(HALPHA)
    qtbot.keyClick(panel, Qt.Key.Key_R)
    assert context.view.options == ViewOptions() and context.view.window is None


def test_ticks_velocities_and_logarithms_are_drawn_where_they_belong(context, panel):
    context.view.change(z=0.001, rest_axis=True, wavelength_unit="nm", medium="air")
    frame, scale = panel.frame, panel.plot.stage.scale_now
    marks = panel.plot.wavelength_axis.content.marks
    assert len(marks) > 3
    for x, text in marks:
        assert float(text) % 50 == 0
        assert frame.shown(scale.wavelength(x)) == pytest.approx(float(text), abs=1e-6)
    context.commands.run("reset")
    line = next(each.line for each in panel.plot.marks.marks if each.line.id == "H_alpha")
    context.view.change(velocity_line=line)
    assert context.view.window == pytest.approx(
        tuple(line.wavelength * (1 + v / 299792.458) for v in (-3000.0, 3000.0))
    )
    texts = [text for _, text in panel.plot.wavelength_axis.content.marks]
    assert "0" in texts and "1000" in texts
    context.view.set_window(HALPHA)
    context.view.change(velocity_line=None)
    context.view.change(velocity_line=line)
    assert context.view.window == HALPHA  # close enough, and left as it is
    context.commands.run("reset")
    context.view.change(smoothing=2, flux_log=True)
    plot, drawn = panel.plot, panel.plot.trace
    np.testing.assert_allclose(10.0**plot.curve.flux, np.maximum(drawn.flux, 1e-12), rtol=1e-9)
    low, high = band_columns(drawn, plot.stage.scale_now, 4.0)
    known = np.isfinite(low)
    assert (high >= low)[known].all() and known.sum() > 2000
    assert np.nanmin(low) <= np.nanmin(plot.curve.flux) < np.nanmax(high)
    panel.minimap.grab()
    assert np.nanmax(panel.minimap.curve.getData()[1]) < 7.0
    low, high = plot.stage.ranges[1]
    assert low < np.nanmedian(plot.curve.flux) < high


def test_range_and_spectrum_are_copied_and_saved(qtbot, context, panel, tmp_path, monkeypatch):
    context.view.set_window((6450.0, 6750.0))
    with qtbot.waitSignal(context.current.message):
        context.commands.run("copy_range")
    text = QGuiApplication.clipboard().text()
    assert "range: 6450.00 to 6750.00 Å, observed, vacuum" in text
    assert "S/N per pixel" in text and "SIMULATED" in text
    for suffix in [".csv", ".fits", ".vot"]:
        context.commands.run("reset")
        out = tmp_path / f"mine{suffix}"
        answer(monkeypatch, out.with_suffix(""), f"x (*{suffix})")
        context.view.set_window((6400.0, 6700.0))
        context.view.change_smoothing(2)
        assert said(qtbot, context, "save_spectrum") == f"Saved: {out}"
        found = read(out)
        assert 6400.0 <= found.range[0] < found.range[1] <= 6700.0
        own = panel.spectrum.object_id  # which a CSV has only in a comment
        assert found.object_id == ("mine" if suffix == ".csv" else own)
    context.commands.run("reset")
    out = tmp_path / "mine.fits"
    answer(monkeypatch, out, "x (*.fits)")
    context.view.change(flux="normalised", medium="air", wavelength_unit="nm", flux_zero=True)
    qtbot.waitUntil(lambda: panel.plot.trace.quantity == "normalised")
    with qtbot.waitSignal(context.current.message):
        context.commands.run("save_spectrum")
    header = fits.getheader(out, 1)
    assert (header["SHOWN_FL"], header["SHOWN_WL"]) == ("normalised", "nm, observed, air")
    np.testing.assert_allclose(read(out).flux, panel.spectrum.flux)


def answer(monkeypatch, path, chosen="", began=None):
    def save(parent, title, start, kinds):
        if began is not None:
            began.append(start)
        return str(path), chosen

    monkeypatch.setattr(QFileDialog, "getSaveFileName", save)


def test_pictures_are_saved_by_their_ending_or_the_chosen_one(
    qtbot, context, panel, monkeypatch, tmp_path
):
    for ending, start in [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]:
        path = tmp_path / f"plot.{ending}"
        answer(monkeypatch, path)
        assert path.name in said(qtbot, context, "snapshot") and path.read_bytes().startswith(start)
        if ending == "png":
            assert QImage(str(path)).width() == 2 * panel.plot.width()
        if ending == "svg":
            assert context.current.candidate.object_id in path.read_text(encoding="utf-8")
    began = []
    answer(monkeypatch, tmp_path / "plot", "PDF (*.pdf)", began)
    context.commands.run("snapshot")
    assert (tmp_path / "plot.pdf").is_file()
    assert Path(began[0]).parent == tmp_path  # where the dialog before ended
    heights = []
    for title in ("short", "Smoothed 5 px · rest · nm · air · normalised · log · " * 5):
        path = tmp_path / f"{len(title)}.png"
        save_snapshot(panel.plot, title, path)
        heights.append(QImage(str(path)).height())
    assert heights[0] == PNG_SCALE * (panel.plot.height() + TITLE_PX)
    assert heights[1] > heights[0] + PNG_SCALE * panel.fontMetrics().height() / 2


def test_what_cannot_be_written_is_one_line_and_what_is_called_off_nothing(
    qtbot, context, panel, monkeypatch, tmp_path
):
    for ending in ["png", "svg", "pdf"]:
        answer(monkeypatch, tmp_path / "no" / f"plot.{ending}")
        with qtbot.waitSignal(context.current.failed) as signal:
            context.commands.run("snapshot")
        assert "cannot be written" in signal.args[0]
        answer(monkeypatch, tmp_path / f"full.{ending}")
        with qtbot.waitSignal(context.current.failed), full_disk():
            context.commands.run("snapshot")
    answer(monkeypatch, "")
    context.commands.run("snapshot")
    assert not [each for each in tmp_path.iterdir() if each.suffix in (".png", ".pdf", ".svg")]
