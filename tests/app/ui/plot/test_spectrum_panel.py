"""The spectrum panel: painted before it can be judged, zoomed windows, lines and the mouse."""

from __future__ import annotations

import threading
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.core.session.records import Verdict
from app.ui.candidate.view_options import SMOOTHINGS_PX
from app.ui.plot import spectrum_panel
from app.ui.plot.readout import readout_text
from app.ui.plot.trace import trace
from tests.app.ui.plot.steps import HALPHA, LEFT, NO, RIGHT, at, on_to, shown
from tests.processes import LONG_S


def test_a_spectrum_is_judged_when_it_was_painted_and_not_before(qtbot, context, session, panel):
    current = context.current
    panel.hide()
    current.go_to(2)
    qtbot.waitUntil(lambda: current.spectrum is not None)
    panel.grab()
    current.judge(Verdict.ACCEPT)
    assert not current.is_painted and session.judgement(2) is None
    panel.show()
    qtbot.waitUntil(lambda: current.is_painted)
    current.judge(Verdict.ACCEPT)
    assert session.judgement(2).opinion.verdict is Verdict.ACCEPT


def test_a_window_without_data_shows_all_of_it_and_says_so(qtbot, context, panel):
    context.view.set_window((20_000.0, 21_000.0))
    on_to(qtbot, context, 2)
    assert tuple(shown(panel)) == pytest.approx(context.current.spectrum.range)
    assert "No data at 20000–21000 Å" in panel.header.note.text()


def test_a_spectrum_without_a_good_pixel_can_be_seen_and_judged(qtbot, context, panel):
    spectrum = context.current.spectrum
    nothing = type(spectrum)(wavelength=spectrum.wavelength, flux=spectrum.flux * np.nan)
    context.current._set_spectrum(nothing, "")
    qtbot.waitUntil(lambda: context.current.is_painted)
    assert len(panel.plot.shades.bad) == 1


def test_a_long_spectrum_is_smoothed_elsewhere(qtbot, context, panel, monkeypatch):
    """The raw spectrum is shown at once; a result for a former candidate is dropped."""
    monkeypatch.setattr("app.ui.plot.trace.MAX_SYNC_PIXELS", 100)
    asked, on_window = Event(), threading.get_ident()
    go_on = Event()

    def slow(spectrum, smoothing_px=0.0, *others):
        if smoothing_px:
            assert threading.get_ident() != on_window
            asked.set()
            assert go_on.wait(LONG_S)
        return trace(spectrum, smoothing_px)

    monkeypatch.setattr(spectrum_panel, "trace", slow)
    on_to(qtbot, context, 1)
    context.view.change(smoothing=2)
    assert asked.wait(LONG_S)
    assert not panel.plot.trace.is_smoothed
    on_to(qtbot, context, 2)
    drawn = panel.plot.trace
    assert (drawn.range, drawn.is_smoothed) == (panel.whole, False)
    go_on.set()
    qtbot.waitUntil(lambda: panel.plot.trace.is_smoothed)
    assert panel.plot.trace.smoothing_px == SMOOTHINGS_PX[2]
    expected = trace(context.current.spectrum, SMOOTHINGS_PX[2]).flux
    np.testing.assert_array_equal(panel.plot.trace.flux, expected)
    assert "Smoothed 3 px" in panel.header.note.text()


def test_the_window_stays_unless_the_person_wants_otherwise(qtbot, context, panel, keys):
    context.view.set_window(HALPHA)
    qtbot.keyClick(panel, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: context.current.is_painted)
    assert context.current.candidate.id == 2 and shown(panel) == pytest.approx(list(HALPHA))
    context.view.change(keep_window=False)
    on_to(qtbot, context, 3)
    assert context.view.window is None


def test_line_sets_are_those_of_the_task_until_others_are_chosen(context, panel):
    def kinds():
        return {mark.line.species for mark in panel.plot.marks.marks}

    assert "H I" in kinds() and "TiO" not in kinds()
    context.view.change(line_sets=frozenset({"molecules"}))
    assert "TiO" in kinds() and "H I" not in kinds()


def test_the_persons_own_lines_are_read(qtbot, context, panel, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(
        'name = "own"\ntitle = "Own"\nlines = [{ id = "X_1", label = "X 5000", '
        'wavelength = 5000.0, medium = "vacuum" }]\n'
    )
    context.settings.change(line_lists=(str(own),))
    context.view.change(line_sets=frozenset({"own"}))
    qtbot.waitUntil(lambda: [each.line.id for each in panel.plot.marks.marks] == ["X_1"])
    with qtbot.waitSignal(context.current.failed):
        context.settings.change(line_lists=(str(tmp_path / "none.toml"),))


def test_the_readout_follows_the_mouse_and_names_a_line(qtbot, context, panel):
    context.view.set_window((6464.6, 6664.6))
    viewport = panel.plot.viewport()
    position = at(panel, 0.5, 0.7)
    qtbot.mouseMove(viewport, at(panel, 0.2))
    qtbot.mouseMove(viewport, position)
    qtbot.waitUntil(lambda: panel.header.readout.text() != "")
    text = panel.header.readout.text()
    assert text.startswith("Hα 6564.6") and "F " in text
    qtbot.mouseMove(viewport, at(panel, 0.25, 0.7))
    qtbot.waitUntil(lambda: "Hα" not in panel.header.readout.text())


def test_a_click_says_what_is_near(context, panel):
    context.view.set_window((6464.6, 6664.6))
    QTest.mouseClick(panel.plot.viewport(), LEFT, NO, at(panel, 0.5))
    QApplication.processEvents()
    assert "Hα" in panel.header.note.text() and "km/s" in panel.header.note.text()


def test_the_readout_is_that_of_the_spectrum_shown(qtbot, context, panel, keys):
    """The mouse stays where it is while keys show another object and another window."""
    viewport = panel.plot.viewport()
    qtbot.mouseMove(viewport, at(panel, 0.2))
    qtbot.mouseMove(viewport, at(panel, 0.4, 0.7))
    qtbot.waitUntil(lambda: panel.header.readout.text() != "")

    def expected():
        mark = panel.plot.marks.at(panel._mouse_at.x())
        return readout_text(context.current.spectrum, panel.under_mouse, panel.frame, mark)

    seen = [panel.header.readout.text()]
    qtbot.keyClick(panel, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: context.current.is_painted)
    seen.append(panel.header.readout.text())
    assert seen[-1] == expected()
    qtbot.keyClick(panel, Qt.Key.Key_BracketRight)
    context.view.set_window(HALPHA)
    seen.append(panel.header.readout.text())
    assert seen[-1] == expected() and len(set(seen)) == 3
    context.current._set_spectrum(None, "unreadable")
    assert panel.header.readout.text() == ""


def test_a_note_about_a_click_is_of_now_and_not_in_a_picture(context, panel):
    context.view.change(smoothing=2)
    QTest.mouseClick(panel.plot.viewport(), LEFT, NO, at(panel, 0.5))
    QApplication.processEvents()
    before = panel.header.note.toolTip()
    assert before.startswith("At ")
    context.view.change(z=0.02)
    assert panel.header.note.toolTip() != before
    assert "Smoothed 3 px" in panel.caption and "At " not in panel.caption
    context.view.change(smoothing=0)
    assert "Smoothed" not in panel.caption


def test_the_zoom_box_says_its_range_in_the_unit_of_the_axis(context, panel):
    context.view.change(wavelength_unit="nm")
    target, start, end = panel.plot.viewport(), at(panel, 0.3), at(panel, 0.6)
    QTest.mousePress(target, RIGHT, NO, start)
    for share in (0.5, 1.0):
        QTest.mouseMove(target, start + (end - start) * share)
        QApplication.processEvents()
    drawn = panel.plot.look.zoom_box
    low, high = (f"{wavelength / 10.0:.2f}" for wavelength in drawn)
    assert panel.header.readout.text() == f"{low}–{high} nm"
    QTest.mouseRelease(target, RIGHT, NO, end)
    QApplication.processEvents()
    assert panel.plot.look.zoom_box is None and "–" not in panel.header.readout.text()
    assert context.view.window == pytest.approx(drawn)


def test_the_overview_goes_where_the_plot_has_no_room(qtbot, panel):
    assert panel.overview.isVisible()
    font = panel.font()
    font.setPointSize(24)
    panel.setFont(font)
    panel.resize(900, 260)
    qtbot.waitUntil(panel.overview.isHidden)
    assert panel.plot.geometry().top() >= panel.top_row.geometry().bottom()
    panel.resize(900, 640)
    qtbot.waitUntil(panel.overview.isVisible)
