"""The centre as a person uses it: painted before judged, windows that stay, words for faults."""

from __future__ import annotations

import shutil
import threading
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import Qt

from agent.errors import ReadError
from agent.tasks.catalogue import find_task
from app.core.importing.importer import import_list
from app.core.session.records import Verdict
from app.core.session.session import new_session
from app.ui.candidate.view_options import RV_FINE_KMS, RV_STEP_KMS, SMOOTHINGS_PX
from app.ui.keys.key_filter import KeyFilter
from app.ui.keys.keymap import Keymap
from app.ui.plot import spectrum_panel
from app.ui.plot.spectrum_panel import SpectrumPanel
from app.ui.plot.trace import trace
from app.ui.theme.theme import THEMES
from tests.app.ui.candidates import SAMPLE
from tests.app.ui.conftest import opened_context

HALPHA = (6450.0, 6750.0)


@pytest.fixture
def keys(context, panel):
    """The real keys of the window."""
    context.commands.add("next", context.current.next)
    context.commands.add("accept", lambda: context.current.judge(Verdict.ACCEPT))
    made = KeyFilter(context.commands, Keymap(context.settings), panel, panel.setFocus)
    yield made
    made.close()


def shown(panel):
    """Wavelengths on screen."""
    return panel.plot.stage.ranges[0]


def heights(panel):
    return panel.plot.stage.ranges[1]


def on_to(qtbot, context, number):
    context.current.go_to(number)
    qtbot.waitUntil(lambda: context.current.is_painted)


# Painted before judged


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


def test_each_spectrum_is_told_once(qtbot, context, panel):
    told = []
    panel.plot.painted.connect(told.append)
    on_to(qtbot, context, 3)
    panel.plot.viewport().repaint()
    context.view.change_smoothing(1)
    panel.plot.viewport().repaint()
    assert told == [3]


def test_a_window_without_data_shows_all_of_it_and_says_so(qtbot, context, panel):
    context.view.set_window((20_000.0, 21_000.0))
    on_to(qtbot, context, 2)
    assert tuple(shown(panel)) == pytest.approx(context.current.spectrum.range)
    assert "No data from 20000 to 21000" in panel.header.note.text()


def test_a_spectrum_without_a_good_pixel_can_be_seen_and_judged(qtbot, context, panel):
    spectrum = context.current.spectrum
    nothing = type(spectrum)(wavelength=spectrum.wavelength, flux=spectrum.flux * np.nan)
    context.current._set_spectrum(nothing, "")
    qtbot.waitUntil(lambda: context.current.is_painted)
    assert len(panel.plot.shades.bad) == 1


# Keys


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


def test_names_go_and_the_lines_stay(qtbot, panel, keys):
    before = panel.plot.grab().toImage()
    qtbot.keyClick(panel, Qt.Key.Key_L, Qt.KeyboardModifier.ShiftModifier)
    assert panel.plot.marks.isVisible() and panel.plot.grab().toImage() != before


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


def test_a_long_spectrum_is_smoothed_elsewhere(qtbot, context, panel, monkeypatch):
    """Seen at once as it is; what comes for an object that is gone is dropped."""
    monkeypatch.setattr(spectrum_panel, "MAX_SYNC_PIXELS", 100)
    asked, on_window = Event(), threading.get_ident()
    go_on = Event()

    def slow(spectrum, smoothing_px=0.0):
        if smoothing_px:
            assert threading.get_ident() != on_window
            asked.set()
            assert go_on.wait(20)
        return trace(spectrum, smoothing_px)

    monkeypatch.setattr(spectrum_panel, "trace", slow)
    on_to(qtbot, context, 1)
    context.view.change(smoothing=2)
    assert asked.wait(20)
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
    assert "Rest" in panel.plot.frame.x_title
    x, text = panel.plot.frame.x_ticks[0]
    assert panel.plot.stage.scale_now.wavelength(x) == pytest.approx(float(text) * 1.01)


def test_reset_takes_everything_back(qtbot, context, panel, keys):
    context.view.change(smoothing=3, z=0.01, rest_axis=True)
    context.view.set_window(HALPHA)
    qtbot.keyClick(panel, Qt.Key.Key_R)
    options = context.view.options
    assert (options.smoothing, options.z, options.rest_axis) == (0, 0.0, False)
    assert context.view.window is None


# From object to object


def test_the_window_stays_unless_the_person_wants_otherwise(qtbot, context, panel, keys):
    context.view.set_window(HALPHA)
    qtbot.keyClick(panel, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: context.current.is_painted)
    assert context.current.candidate.id == 2 and shown(panel) == pytest.approx(list(HALPHA))
    context.view.change(keep_window=False)
    on_to(qtbot, context, 3)
    assert context.view.window is None


def test_the_title_says_what_it_is(qtbot, context, panel):
    on_to(qtbot, context, 2)
    spectrum = context.current.spectrum
    assert panel.header.title.text() == context.current.candidate.object_id
    assert panel.header.simulated.isVisible()
    assert f"S/N {spectrum.snr:.1f}" in panel.header.facts.text()
    assert spectrum.survey in panel.header.facts.text()


@pytest.fixture
def three(tmp_path):
    """A session of three files of its own, the second of which is gone."""
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
    panel = SpectrumPanel(context)
    qtbot.addWidget(panel)
    with qtbot.waitExposed(panel):
        panel.show()
    on_to(qtbot, context, 1)
    context.current.next()
    qtbot.waitUntil(panel.empty_message.retry_button.isVisible)
    assert "2.fits.gz" in panel.empty_message.reason.text() and not context.current.is_painted
    assert panel.empty_message.next_button.text() == "Next object (N)"
    context.keymap.rebind("next", ["J"])
    assert panel.empty_message.next_button.text() == "Next object (J)"
    context.keymap.rebind("next", [])
    assert panel.empty_message.next_button.text() == "Next object"
    qtbot.mouseClick(panel.empty_message.next_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: context.current.candidate.id == 3 and context.current.is_painted)
    assert not panel.empty_message.isVisible()
    context.current.go_to(2)
    qtbot.waitUntil(panel.empty_message.retry_button.isVisible)
    (folder / "lost").rename(folder / "2.fits.gz")
    qtbot.mouseClick(panel.empty_message.retry_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: context.current.is_painted)
    assert context.current.candidate.id == 2 and not panel.empty_message.isVisible()


def test_an_empty_list_is_said_in_words(qtbot, context):
    panel = SpectrumPanel(context)
    qtbot.addWidget(panel)
    context.current._show(None)
    assert not panel.empty_message.isHidden()
    assert "empty" in panel.empty_message.reason.text()


@pytest.mark.parametrize("name", THEMES)
def test_every_theme_paints_its_own_background(qtbot, context, panel, name):
    context.current_theme.use(THEMES[name])
    image = panel.plot.grab().toImage()
    where = panel.plot.stage.geometry().topLeft().toPoint()
    assert image.pixelColor(where.x() - 40, 2).name() == THEMES[name].plot


# Lines and templates


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


class Templates:
    def load(self, name):
        if name == "none":
            raise ReadError("there is no template none")
        return np.linspace(3000.0, 10_000.0, 500), np.full(500, 1e-17)


def test_a_template_is_laid_over_and_scaled(qtbot, context, panel):
    panel.use_templates(Templates())
    context.view.change(template="G2V")
    qtbot.waitUntil(panel.plot.template.isVisible)
    level = np.nanmedian(panel.plot.trace.flux)
    assert panel.plot.template.flux[0] == pytest.approx(level, rel=0.3)
    assert "Template: G2V" in panel.header.note.text()
    first = panel.plot.template.flux[0]
    on_to(qtbot, context, 3)
    assert panel.plot.template.isVisible() and panel.plot.template.flux[0] != first
    context.view.change(template="")
    assert not panel.plot.template.isVisible()
    with qtbot.waitSignal(context.current.failed) as told:
        context.view.change(template="none")
    assert "no template none" in told.args[0]
