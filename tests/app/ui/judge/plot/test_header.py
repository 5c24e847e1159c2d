"""The two lines above the plot."""

from __future__ import annotations

from dataclasses import replace

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
    header.show_readout("Hα 6564.6   6563.1 Å   λ₀ 6564.6 Å   F 3.1")
    assert header.note.text() != note and header.note.text().endswith("…")
    assert header.note.geometry().right() < header.readout.geometry().left()
    header.show_readout("")
    assert header.note.text() == note
    header.show_note("")
    header.show_object("J1", None)
    header._facts_text = "LAMOST DR10 · S/N 15.0 (file)"
    header.show_readout("6614.5 Å   F 2.985e-16")
    shown = set()
    for width in range(200, 700, 3):
        header.resize(width, header.height())
        shown.add(header.facts.text())
    assert {"", header._facts_text} <= shown and all(len(text) >= 4 for text in shown if text)


def test_a_long_name_gives_way_and_values_under_the_mouse_are_never_cut(qtbot, context, panel):
    on_to(qtbot, context, 2)
    header, name = panel.header, "SIM J073243.14+221732.2 " * 4
    header.resize(500, header.height())
    header.show_object(name, context.current.spectrum)
    mark = header.simulated
    assert mark.isVisible() and mark.width() >= mark.sizeHint().width()
    assert mark.geometry().right() <= header.width()
    assert "…" in header.title.text() and header.title.toolTip() == name and name in header.texts
    header.show_object("J1", context.current.spectrum)
    assert header.title.text() == "J1" and header.title.toolTip() == ""
    # In a narrow header the line's name goes first, then the title, and the mark stays.
    on_to(qtbot, context, 2)
    header, text = panel.header, "He I 5876 5877.2   5834.5 Å   F 34.09"
    advance = header.readout.fontMetrics().horizontalAdvance
    least = header.simulated.geometry().right() - header.title.width() + advance("5834.5 Å F 34.09")
    for width in range(least + 30, 800, 20):
        header.resize(width, header.height())
        header.show_readout("")
        title = header.title.text()
        header.show_readout(text)
        shown, room = header.readout.text(), header.readout.width()
        assert text.replace("   ", " ").endswith(shown.replace("   ", " "))
        assert "5834.5 Å" in shown and advance(shown) <= room
        assert header.simulated.geometry().right() < header.readout.geometry().left()
        header.show_readout("")
        assert header.title.text() == title
    assert shown == text
