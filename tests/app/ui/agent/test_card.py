"""One card: it folds, leads to its look and has the picture that the model saw, or none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage

from agent.inspection.inspector_factory import default_model
from agent.trajectory.trajectory import Step
from app.ui.agent import pictures
from app.ui.theme.theme import DARK
from tests.app.ui.agent.conftest import kept
from tests.app.ui.agent.trajectories import look, record
from tests.app.ui.scripted_agent import show_candidate

LEFT = Qt.MouseButton.LeftButton


def test_clicks_on_a_look_and_its_picture(qtbot, context, panel, measured):
    trajectory = kept(qtbot, context, measured)
    card = next(card for card in panel.timeline.cards if card.content.kind == "look")
    with qtbot.waitSignal(context.agent.shown.look_changed) as looking:
        qtbot.mouseClick(card, LEFT, pos=QPoint(card.width() - 20, 12))
    shift = 1.0 + (trajectory.spectrum.z or 0.0)
    low, high = trajectory.looks[0].range
    assert looking.args == [(low * shift, high * shift), trajectory.looks[0].label]
    assert card.is_current
    qtbot.waitUntil(lambda: card.has_picture)
    qtbot.mouseClick(card, LEFT, pos=QPoint(40, 60))
    large = panel._large
    assert large.isVisible() and card.content.aside in large.caption.text()
    assert large.picture.pixmap().size() == panel.pictures.images[card.content.picture].size()
    qtbot.keyClick(large, Qt.Key.Key_Escape)
    assert not large.isVisible()
    light = panel.timeline.cards[0].grab().toImage()
    context.current_theme.use(DARK)
    dark = panel.timeline.cards[0].grab().toImage()
    assert brightness(light) > 150 > brightness(dark)
    panel.pictures.forget()
    spectrum = context.current.spectrum
    context.current.spectrum = replace(spectrum, flux=spectrum.flux * 2.0)
    with qtbot.waitSignal(context.current.message) as said:
        context.agent.shown.show(replace(trajectory, seed=5))
    assert "has changed since" in said.args[0] and panel.pictures.images == {}


def test_rerunning_from_a_step_of_a_record(qtbot, scripted, scripted_panel):
    scripted.agent.choose_model("good")
    show_candidate(qtbot, scripted, act="plain")
    with qtbot.waitSignal(scripted.agent.finished):
        scripted.agent.run_here()
    scripted.commands.run("step")
    card = next(card for card in scripted_panel.timeline.cards if card.is_current)
    assert card.can_rerun
    go_on = card._layout_for(card.width()).rerun
    qtbot.mouseClick(card, LEFT, pos=go_on.center().toPoint())
    assert scripted.agent.is_paused and len(scripted.agent.shown.steps) == 2
    with qtbot.waitSignal(scripted.agent.finished) as ended:
        scripted.commands.run("pause_agent")
    assert len(ended.args[1].replies) == 3


def test_a_long_text_folds_and_opens(qtbot, context, panel):
    steps = (Step(kind="think", text="word " * 400), look(6450, 6750, picture=""))
    kept(qtbot, context, record(steps=steps))
    card = panel.timeline.cards[0]
    low = card.height()
    more = card._layout_for(card.width()).more
    qtbot.mouseClick(card, LEFT, pos=more.center().toPoint())
    assert card.is_open and card.height() > 3 * low
    assert panel.timeline.cards[1].y() >= card.height()


def brightness(image: QImage) -> int:
    return image.pixelColor(image.width() - 12, image.height() - 5).lightness()


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
        qtbot.waitUntil(lambda: any(step.is_look for step in context.agent.shown.steps))
        context.agent.toggle_pause()
        assert context.agent.shown.run is not None
        qtbot.waitUntil(lambda: panel.pictures.images != {})
        assert drawn[0].model == default_model("CV") and drawn[0].style is None
        context.agent.stop()
        qtbot.waitUntil(lambda: context.agent.shown.run is None)
