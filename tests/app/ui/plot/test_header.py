"""The two lines above the plot."""

from __future__ import annotations

from dataclasses import replace

from app.ui.queue.queue_model import SNR, text_of
from tests.app.ui.plot.steps import on_to


def test_the_title_says_what_it_is(qtbot, context, panel):
    on_to(qtbot, context, 2)
    spectrum = context.current.spectrum
    assert panel.header.title.text() == context.current.candidate.object_id
    assert panel.header.simulated.isVisible()
    assert "S/N" in panel.header.facts.text()
    assert spectrum.survey in panel.header.facts.text()


def test_the_signal_to_noise_is_that_of_the_queue_and_names_its_source(qtbot, context, panel):
    on_to(qtbot, context, 2)
    current, spectrum = context.current, context.current.spectrum
    row = current.row
    assert f"S/N {text_of(row, SNR)} (list)" in panel.header.facts.text()
    panel.header.show_object("J1", spectrum)
    assert f"S/N {spectrum.snr:.1f} (file)" in " ".join(panel.header.texts)
    assert "(list)" not in " ".join(panel.header.texts)
    panel.header.show_object("J1", replace(spectrum, snr=None))
    assert "S/N" not in " ".join(panel.header.texts)
