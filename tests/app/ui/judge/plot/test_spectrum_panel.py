"""The spectrum panel: painted before it is judged, its header, windows and lines, the mouse."""

import gc
import shutil
import threading
import weakref
from collections.abc import Iterator
from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from agent.errors import ReadError
from agent.tasks.catalogue import find_task, look_task
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Step, Trajectory
from app.core.importing.importer import import_list
from app.core.queue import LIST_ORDER, row_of
from app.core.session.records import Verdict
from app.core.session.session import new_session
from app.core.spectra.prefetch import Prefetch, spectrum_key
from app.ui.judge.agent.deciding_facts import deciding_facts
from app.ui.judge.plot import spectrum_panel
from app.ui.judge.plot.header import ClassButton
from app.ui.judge.plot.readout import readout_text
from app.ui.judge.plot.spectrum_panel import SpectrumPanel, TraceCache
from app.ui.judge.plot.trace import asked_trace, trace
from app.ui.judge.queue.queue_model import SNR, text_of
from app.ui.session.candidate.view_options import SMOOTHINGS_PX, View
from app.ui.widgets.input_filter import plain_html
from tests.app.ui.candidates import SAMPLE
from tests.app.ui.conftest import opened_context
from tests.app.ui.judge.plot.conftest import HALPHA, LEFT, NO, RIGHT, at, on_to, shown
from tests.app.ui.judge.plot.spectra import spectrum
from tests.app.ui.steps import click, shown_in
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


def test_a_long_spectrum_is_smoothed_elsewhere(qtbot, context, panel, monkeypatch):
    """The raw spectrum is shown at once; a result for a former candidate is dropped."""
    monkeypatch.setattr("app.ui.judge.plot.trace.MAX_SYNC_PIXELS", 100)
    asked, go_on, on_window = Event(), Event(), threading.get_ident()

    def slow(spectrum, smoothing_px=0.0, *others):
        if smoothing_px:
            assert threading.get_ident() != on_window
            asked.set()
            assert go_on.wait(LONG_S)
        return trace(spectrum, smoothing_px)

    monkeypatch.setattr(spectrum_panel, "trace", slow)
    on_to(qtbot, context, 1)
    context.view.change(smoothing=2)
    assert asked.wait(LONG_S) and not panel.plot.trace.is_smoothed
    on_to(qtbot, context, 2)
    drawn = panel.plot.trace
    assert (drawn.range, drawn.is_smoothed) == (panel.whole, False)
    go_on.set()
    qtbot.waitUntil(lambda: panel.plot.trace.is_smoothed)
    assert panel.plot.trace.smoothing_px == SMOOTHINGS_PX[2]
    expected = trace(context.current.spectrum, SMOOTHINGS_PX[2]).flux
    np.testing.assert_array_equal(panel.plot.trace.flux, expected)
    assert "Smoothed 3 px" in panel.header.note.text()


def test_a_window_stays_or_says_that_it_has_no_data(qtbot, context, panel, keys):
    context.view.set_window(HALPHA)
    qtbot.keyClick(panel, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: context.current.is_painted)
    assert context.current.candidate.id == 2 and shown(panel) == pytest.approx(list(HALPHA))
    context.view.change(keep_window=False)
    on_to(qtbot, context, 3)
    assert context.view.window is None
    context.view.change(keep_window=True)
    context.view.set_window((20_000.0, 21_000.0))
    on_to(qtbot, context, 2)
    assert tuple(shown(panel)) == pytest.approx(context.current.spectrum.range)
    assert "No data at 20000–21000 Å" in panel.header.note.text()
    spectrum = context.current.spectrum
    nothing = type(spectrum)(wavelength=spectrum.wavelength, flux=spectrum.flux * np.nan)
    context.current._set_spectrum(nothing, "")
    qtbot.waitUntil(lambda: context.current.is_painted)
    assert len(panel.plot.shades.bad) == 1


def test_line_sets_are_those_of_the_task_or_ones_own(context, panel, qtbot, tmp_path):
    def kinds():
        return {mark.line.species for mark in panel.plot.marks.marks}

    assert "H I" in kinds() and "TiO" not in kinds()
    context.view.change(line_sets=frozenset({"molecules"}))
    assert "TiO" in kinds() and "H I" not in kinds()
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


def test_the_readout_a_click_and_the_zoom_box_say_where_they_are(qtbot, context, panel):
    context.view.set_window((6464.6, 6664.6))
    viewport = panel.plot.viewport()
    qtbot.mouseMove(viewport, at(panel, 0.2))
    qtbot.mouseMove(viewport, at(panel, 0.5, 0.7))
    qtbot.waitUntil(lambda: panel.readout.text() != "")
    text = panel.readout.text()
    assert text.startswith("Hα 6564.6") and "F " in text
    qtbot.mouseMove(viewport, at(panel, 0.25, 0.7))
    qtbot.waitUntil(lambda: "Hα" not in panel.readout.text())
    QTest.mouseClick(viewport, LEFT, NO, at(panel, 0.5))
    QApplication.processEvents()
    assert "Hα" in panel.header.note.text() and "km/s" in panel.header.note.text()
    context.view.change(smoothing=2)
    QTest.mouseClick(viewport, LEFT, NO, at(panel, 0.5))
    QApplication.processEvents()
    before = panel.header.note.toolTip()
    assert before.startswith("At ")
    context.view.change(z=0.02)
    assert panel.header.note.toolTip() != before
    assert "Smoothed 3 px" in panel.caption and "At " not in panel.caption
    context.view.change(smoothing=0)
    assert "Smoothed" not in panel.caption
    context.view.change(wavelength_unit="nm")
    start, end = at(panel, 0.3), at(panel, 0.6)
    QTest.mousePress(viewport, RIGHT, NO, start)
    for share in (0.5, 1.0):
        QTest.mouseMove(viewport, start + (end - start) * share)
        QApplication.processEvents()
    drawn = panel.plot.look.zoom_box
    low, high = (f"{wavelength / 10.0:.2f}" for wavelength in drawn)
    assert panel.readout.text() == f"{low}–{high} nm"
    QTest.mouseRelease(viewport, RIGHT, NO, end)
    QApplication.processEvents()
    assert panel.plot.look.zoom_box is None and "–" not in panel.readout.text()
    assert context.view.window == pytest.approx(drawn)


def test_the_readout_is_that_of_the_spectrum_shown(qtbot, context, panel, keys):
    """The mouse stays where it is while keys show another object and another window."""
    viewport = panel.plot.viewport()
    qtbot.mouseMove(viewport, at(panel, 0.2))
    qtbot.mouseMove(viewport, at(panel, 0.4, 0.7))
    qtbot.waitUntil(lambda: panel.readout.text() != "")

    def expected():
        mark = panel.plot.marks.at(panel._mouse_at.x())
        return readout_text(context.current.spectrum, panel.under_mouse, panel.frame, mark)

    seen = [panel.readout.text()]
    qtbot.keyClick(panel, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: context.current.is_painted)
    seen.append(panel.readout.text())
    assert seen[-1] == expected()
    qtbot.keyClick(panel, Qt.Key.Key_BracketRight)
    context.view.set_window(HALPHA)
    seen.append(panel.readout.text())
    assert seen[-1] == expected() and len(set(seen)) == 3
    context.current._set_spectrum(None, "unreadable")
    assert panel.readout.text() == ""


def test_the_overview_goes_where_the_plot_has_no_room(qtbot, panel):
    assert panel.minimap.isVisible() and panel.numbers_below() == 0
    font = panel.font()
    font.setPointSize(24)
    panel.setFont(font)
    panel.resize(900, 260)
    qtbot.waitUntil(panel.minimap.isHidden)
    assert panel.plot.geometry().top() >= panel.top_row.geometry().bottom()
    panel.resize(900, 640)
    qtbot.waitUntil(panel.minimap.isVisible)


def test_the_plot_says_that_a_model_is_loaded_and_marks_the_facts_that_decide(
    qtbot, context, panel
):
    told, agent = [], context.agent
    agent.state_changed.connect(lambda: told.append(panel.plot.badges.shown))
    with qtbot.waitSignal(agent.finished):
        agent.run_here()
    assert any(f"Loading {agent.worker_model.name}…" in each for each in told)
    assert panel.plot.badges.shown == ()
    facts = deciding_facts(agent.shown.trajectory)
    assert [place for place, _ in panel.plot.look.facts] == [each.place for each in facts]
    assert [number for _, number in panel.plot.look.facts][:2] == ["1", "2"]
    panel.grab()
    context.current.go_to(2)
    assert panel.plot.look.facts == ()


HERE, THERE = (6450.0, 6750.0), (4800.0, 4900.0)


def test_the_plot_goes_where_the_agent_looks_until_the_person_takes_it_back(context, panel, qtbot):
    context.view.set_window(THERE, "mine")
    context.agent.shown.look_changed.emit(HERE, "Hα\n  emission")
    assert shown(panel) == pytest.approx(list(HERE))
    assert panel.plot.look.look == HERE and panel.plot.look.label == "Hα emission"
    assert context.view.window_name == "Hα emission"
    context.agent.shown.look_changed.emit((5000.0, 5100.0), "Mg b")
    context.agent.shown.look_changed.emit(None, "")
    assert (context.view.window, context.view.window_name) == (THERE, "mine")
    assert panel.plot.look.look is None
    context.agent.shown.look_changed.emit(HERE, "Hα")
    context.view.set_window(THERE)
    context.agent.shown.look_changed.emit(None, "")
    assert context.view.window == THERE
    for action in ["escape", "whole"]:
        context.commands.add("escape", lambda: None)
        context.view.set_window(THERE)
        context.agent.shown.look_changed.emit(HERE, "Hα")
        context.commands.run(action)
        assert context.view.window == (THERE if action == "escape" else None)
        assert panel.plot.look.look is None
    context.agent.shown.look_changed.emit(HERE, "Hα")
    context.current.next()
    qtbot.waitUntil(lambda: context.current.is_painted)
    assert context.view.window is None and panel.plot.look.look is None


def test_its_windows_are_numbered_in_the_strip(qtbot, context, panel):
    looks = (
        Step(kind="zoom", range=(6400.0, 6700.0), label="Hα <b>"),
        Step(kind="zoom", range=(1.0, 2.0), error="outside"),
        Step(kind="zoom", range=(4800.0, 4900.0), label="Hβ"),
    )
    trajectory = Trajectory(
        task="CV", spectrum=SpectrumRef(z=0.1), model=ModelRef(name="x"), steps=looks,
        stopped_by="answer",
    )  # fmt: skip
    context.agent.shown.trajectory_changed.emit(trajectory)
    strip = panel.minimap
    found = strip.brackets.agent_windows
    assert [each.name for each in found] == ["1", "2"]
    assert found[0].range == pytest.approx((6400 * 1.1, 6700 * 1.1))
    x = strip.box.geometry().left() + strip.scale().x(7200)
    assert "1: Hα <b>" in strip.tooltip_at(x)
    qtbot.mouseMove(strip.viewport(), QPoint(round(x), 30))
    qtbot.waitUntil(lambda: strip.toolTip() != "")
    assert "&lt;b&gt;" in plain_html(strip.toolTip())
    context.agent.shown.trajectory_changed.emit(None)
    assert strip.brackets.agent_windows == ()


@pytest.fixture
def view():
    return View()


@pytest.fixture
def prefetch() -> Iterator[Prefetch]:
    with Prefetch() as made:
        yield made


def test_a_prepared_curve_and_its_flux_range_are_those_drawn_until_the_options_change(
    view, prefetch
):
    made, traces = spectrum(), TraceCache(view, prefetch)
    traces.prepare(made)
    drawn = traces.trace(made, asked_trace(view.options))
    assert traces.trace(made, asked_trace(view.options)) is drawn
    assert (drawn.range, False) in drawn.flux_ranges
    view.change(smoothing=3)
    smoothed = traces.trace(made, asked_trace(view.options))
    assert smoothed is not drawn and smoothed.smoothing_px == view.options.smoothing_px
    view.set_window((6400.0, 6700.0))
    kept = spectrum()
    traces.prepare(kept)
    prepared = traces.trace(kept, asked_trace(view.options))
    assert ((6400.0, 6700.0), False) in prepared.flux_ranges


def test_a_curve_lives_as_long_as_its_spectrum(view, prefetch):
    made, traces = spectrum(), TraceCache(view, prefetch)
    traces.prepare(made)
    drawn = weakref.ref(traces.trace(made, asked_trace(view.options)))
    del made
    gc.collect()
    assert drawn() is None


def test_a_spectrum_that_was_read_ahead_is_shown_without_making_its_curve(
    qtbot, context, panel, monkeypatch
):
    following = spectrum_key(row_of(context.bridge.session, 2, LIST_ORDER).candidate)
    qtbot.waitUntil(lambda: context.current.prefetch.peek(following) is not None)
    threads, real = [], spectrum_panel.trace

    def noted(*asked):
        threads.append(threading.current_thread())
        return real(*asked)

    monkeypatch.setattr(spectrum_panel, "trace", noted)
    on_to(qtbot, context, 2)
    asked = asked_trace(context.view.options)
    assert panel.plot.trace is panel.traces.trace(context.current.spectrum, asked)
    assert threading.main_thread() not in threads


@pytest.fixture
def ran(context):
    found = []
    for name in ("other_class", "show_guideline"):
        context.commands.add(name, lambda name=name: found.append(name))
    return found


def texts_of(button):
    return [each.text() for each in button.menu().actions() if each.text()]


def test_the_menu_says_what_is_asked_and_that_it_stays(qtbot, context, ran):
    button = shown_in(qtbot, ClassButton(context), 120, 30)
    assert button.text() == "CV" and button.toolTip() == "Cataclysmic variables"
    assert texts_of(button)[0] == "Is this the spectrum of a cataclysmic variable?"
    assert "keeps its class" in texts_of(button)[-1]
    click_entry(qtbot, button, "Judge this list for another class")
    click_entry(qtbot, button, "Show the guideline")
    assert ran == ["other_class", "show_guideline"]


def test_without_a_class_one_can_be_chosen(qtbot, tmp_path):
    with (
        new_session(tmp_path / "look.speco3", look_task(), "Ada") as session,
        opened_context(session) as context,
    ):
        found = []
        context.commands.add("other_class", lambda: found.append("other_class"))
        button = shown_in(qtbot, ClassButton(context), 120, 30)
        assert button.text() == "No class"
        assert texts_of(button) == ["Nothing is judged here", "Choose a class to judge"]
        click_entry(qtbot, button, "Choose a class to judge")
        assert found == ["other_class"]


def click_entry(qtbot, button, text):
    menu = button.menu()
    entry = next(each for each in menu.actions() if each.text() == text)
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
    qtbot.waitUntil(menu.isVisible)
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(entry).center())
    qtbot.waitUntil(lambda: not menu.isVisible())


def test_the_title_says_what_it_is_with_the_signal_to_noise_of_the_queue(qtbot, context, panel):
    on_to(qtbot, context, 2)
    spectrum = context.current.spectrum
    assert panel.header.title.text() == context.current.candidate.object_id
    assert panel.header.simulated.isVisible() and "S/N" in panel.header.facts.text()
    assert spectrum.survey in panel.header.facts.text()
    assert f"S/N {text_of(context.current.row, SNR)} (list)" in panel.header.facts.text()
    panel.header.show_object("J1", spectrum)
    assert f"S/N {spectrum.snr:.1f} (file)" in " ".join(panel.header.texts)
    assert "(list)" not in " ".join(panel.header.texts)
    panel.header.show_object("J1", replace(spectrum, snr=None))
    assert "S/N" not in " ".join(panel.header.texts)


def test_notes_and_facts_give_way(panel):
    header = panel.header
    header.resize(900, header.height())
    note = "Smoothed 3 px = 207 km/s (FWHM) · Template: G2V"
    header.show_note(note)
    assert header.note.text() == note
    header.show_note("")
    header.show_object("J1", None)
    header._facts_text = "LAMOST DR10 · S/N 15.0 (file)"
    shown = set()
    for width in range(200, 700, 3):
        header.resize(width, header.height())
        shown.add(header.facts.text())
    assert header._facts_text in shown and all(len(text) >= 4 for text in shown if text)


def test_the_name_stays_whole_and_values_under_the_mouse_stand_in_a_corner(qtbot, context, panel):
    on_to(qtbot, context, 2)
    header, name, mark = panel.header, "SIM J073243.14+221732.2", panel.header.simulated
    header.show_object(name, context.current.spectrum)
    for width in range(header.minimumWidth(), 900, 20):
        header.resize(width, header.height())
        assert header.title.text() == name and mark.geometry().right() <= header.width()
        needed = QFontMetrics(header.title.shown_font).horizontalAdvance(name)
        assert needed <= header.title.width()
    long = name * 8  # only what nobody could write down is cut, and whole in the tooltip
    header.resize(500, header.height())
    header.show_object(long, context.current.spectrum)
    assert "…" in header.title.text() and header.title.toolTip() == long and long in header.texts
    header.show_object("J1", context.current.spectrum)
    assert header.title.text() == "J1" and header.title.toolTip() == ""
    stage, readout, text = panel.plot.stage, panel.readout, "He I 5876 5877.2   5834.5 Å   F 34"
    box = stage.geometry().toRect()
    readout.show_values(text, QPointF(10.0, 10.0))
    assert readout.text() == text and box.contains(readout.geometry())
    before = readout.geometry()
    readout.show_values(text, QPointF(before.center()) - stage.geometry().topLeft())
    assert not readout.geometry().intersects(before)  # the mouse is there
    panel.resize(250, panel.height())
    qtbot.waitUntil(lambda: stage.geometry().width() < 250)
    readout.show_values("", None)
    readout.show_values(text, None)
    assert "5834.5 Å" in readout.text() and text.endswith(readout.text().split()[-1])
    stage.hovered.emit(None)
    assert not readout.isVisible()


@pytest.fixture
def three(tmp_path):
    """A session of three files, the second of which is missing."""
    folder = tmp_path / "spectra"
    folder.mkdir()
    found = sorted((SAMPLE / "spectra").rglob("spec-*.fits.gz"))[:3]
    for number, path in enumerate(found, 1):
        shutil.copy(path, folder / f"{number}.fits.gz")
    rows = "".join(f"{number}.fits.gz,object {number}\n" for number in (1, 2, 3))
    (tmp_path / "three.csv").write_text("file,object_id\n" + rows)
    with new_session(tmp_path / "three.speco3", find_task("CV"), "Ada") as session:
        import_list(session, tmp_path / "three.csv", spectra=folder)
        (folder / "2.fits.gz").rename(folder / "lost")
        with opened_context(session) as context:
            yield context, folder


def test_a_broken_spectrum_says_why_and_is_skipped_or_read_again(qtbot, three):
    context, folder = three
    panel = shown_in(qtbot, SpectrumPanel(context))
    on_to(qtbot, context, 1)
    context.current.next()
    qtbot.waitUntil(panel.empty_message.retry_button.isVisible)
    assert "2.fits.gz" in panel.empty_message.reason.text() and not context.current.is_painted
    assert panel.empty_message.next_button.text() == "Next object (N)"
    context.keymap.rebind("next", ["J"])
    assert panel.empty_message.next_button.text() == "Next object (J)"
    context.keymap.rebind("next", [])
    assert panel.empty_message.next_button.text() == "Next object"
    click(qtbot, panel.empty_message.next_button)
    qtbot.waitUntil(lambda: context.current.candidate.id == 3 and context.current.is_painted)
    assert not panel.empty_message.isVisible()
    context.current.go_to(2)
    qtbot.waitUntil(panel.empty_message.retry_button.isVisible)
    (folder / "lost").rename(folder / "2.fits.gz")
    click(qtbot, panel.empty_message.retry_button)
    qtbot.waitUntil(lambda: context.current.is_painted)
    assert context.current.candidate.id == 2 and not panel.empty_message.isVisible()


def test_an_empty_list_is_said_in_words(qtbot, context):
    panel = SpectrumPanel(context)
    qtbot.addWidget(panel)
    context.current._show(None)
    assert not panel.empty_message.isHidden() and "empty" in panel.empty_message.reason.text()


GRID = np.linspace(3000, 10000, 900)


def level(name):
    if name == "none":
        raise ReadError("there is no template none")
    return GRID, np.full(900, 1e-17)


def test_a_template_is_laid_over_scaled_and_by_hand(qtbot, context, panel):
    panel.template.set_source(level)
    context.view.change(template="G2V")
    qtbot.waitUntil(panel.plot.template.isVisible)
    median = np.nanmedian(panel.plot.trace.flux)
    assert np.median(panel.plot.template.flux) == pytest.approx(median, rel=0.3)
    assert "Template: G2V" in panel.header.note.text()
    first = panel.plot.template.flux[0]
    on_to(qtbot, context, 3)
    assert panel.plot.template.isVisible() and panel.plot.template.flux[0] != first
    context.view.change(template="")
    assert not panel.plot.template.isVisible()
    with qtbot.waitSignal(context.current.failed) as signal:
        context.view.change(template="none")
    assert "no template none" in signal.args[0]
    context.view.change(template="G2V")
    qtbot.waitUntil(panel.plot.template.isVisible)
    automatic = panel.plot.template.flux[0]
    context.view.change(template_scale=2.0)
    assert panel.plot.template.flux[0] == pytest.approx(2.0 * automatic)
    context.commands.run("reset")
    assert context.view.options.template_scale == 1.0


def sloped(name):
    """Falls with the wavelength, with one line."""
    line = np.exp(-0.5 * ((GRID - 6564.6) / 20.0) ** 2)
    return GRID, 1e-17 * (GRID / 5000.0) ** -2.0 * (1.0 + 0.1 * line)


@pytest.mark.parametrize("flux", ["file", "per_frequency", "normalised"])
def test_the_curve_that_is_ranked_is_drawn_on_any_axis(qtbot, context, panel, flux):
    panel.template.set_source(sloped)
    context.view.change(template="G2V", flux=flux, flux_log=False)
    drawn, plot = panel.plot.template, panel.plot
    qtbot.waitUntil(lambda: plot.trace.quantity == flux and drawn.isVisible())
    wavelength, levels = panel.template.curve
    ratio = plot.trace.flux / np.interp(plot.trace.wavelength, wavelength, levels)
    parts = [np.nanmedian(part) for part in np.array_split(ratio, 8)]
    assert parts == pytest.approx([1.0] * 8, rel=0.08)  # the slope of the template is taken away
    context.view.change(flux_log=True)
    assert panel.template.curve[1] == pytest.approx(np.log10(levels), abs=1e-3)
