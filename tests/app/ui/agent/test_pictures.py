"""The pictures are those the model saw, or none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt

from agent.inspection.inspector_factory import default_model
from app.ui.agent import pictures
from tests.app.ui.agent.panel_steps import kept
from tests.app.ui.scripted_agent import LONG_MS, show_candidate

LEFT = Qt.MouseButton.LeftButton


def test_during_a_run_pictures_are_drawn_in_the_models_style(qtbot, context, panel, monkeypatch):
    pytest.importorskip("llama_cpp")
    context.agent.worker_model.default = default_model("CV")
    drawn = []
    drawing = pictures.redraw_look
    monkeypatch.setattr(
        pictures, "redraw_look", lambda seen, look: drawn.append(seen) or drawing(seen, look)
    )
    with qtbot.assertNotEmitted(panel.pictures.failed):
        show_candidate(qtbot, context)
        context.commands.run("run_agent")
        qtbot.waitUntil(
            lambda: any(step.is_look for step in context.agent.shown.steps), timeout=LONG_MS
        )
        context.agent.toggle_pause()
        assert context.agent.shown.run is not None
        qtbot.waitUntil(lambda: panel.pictures.images != {}, timeout=LONG_MS)
        assert drawn[0].model == default_model("CV") and drawn[0].style is None
        context.agent.stop()
        qtbot.waitUntil(lambda: context.agent.shown.run is None, timeout=LONG_MS)


def test_a_click_on_a_picture_enlarges_it(qtbot, context, panel, measured):
    kept(qtbot, context, measured)
    card = next(card for card in panel.timeline.cards if card.content.kind == "look")
    qtbot.waitUntil(lambda: card.has_picture, timeout=LONG_MS)
    qtbot.mouseClick(card, LEFT, pos=QPoint(40, 60))
    large = panel._large
    assert large.isVisible() and card.content.aside in large.caption.text()
    assert large.picture.pixmap().size() == panel.pictures.images[card.content.picture].size()
    qtbot.keyClick(large, Qt.Key.Key_Escape)
    assert not large.isVisible()


def test_a_changed_spectrum_gets_no_pictures_and_a_message(qtbot, context, panel, measured):
    trajectory = kept(qtbot, context, measured)
    panel.pictures.forget()
    spectrum = context.current.spectrum
    context.current.spectrum = replace(spectrum, flux=spectrum.flux * 2.0)
    with qtbot.waitSignal(context.current.message, timeout=LONG_MS) as said:
        context.agent.shown.show(replace(trajectory, seed=5))
    assert "has changed since" in said.args[0] and panel.pictures.images == {}
