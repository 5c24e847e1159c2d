"""The two lines above the plot."""

from dataclasses import replace

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetrics

from app.ui.judge.queue.queue_model import SNR, text_of
from tests.app.ui.judge.plot.conftest import on_to


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
