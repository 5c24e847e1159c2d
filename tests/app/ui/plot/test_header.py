"""The two lines above the plot."""

from __future__ import annotations

from tests.app.ui.plot.steps import on_to


def test_the_title_says_what_it_is(qtbot, context, panel):
    on_to(qtbot, context, 2)
    spectrum = context.current.spectrum
    assert panel.header.title.text() == context.current.candidate.object_id
    assert panel.header.simulated.isVisible()
    assert f"S/N {spectrum.snr:.1f}" in panel.header.facts.text()
    assert spectrum.survey in panel.header.facts.text()
