"""One card: it folds, leads to its look, and follows the theme."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage

from agent.trajectory.trajectory import Step
from app.ui.theme.theme import DARK
from tests.app.ui.agent.panel_steps import kept
from tests.app.ui.agent.trajectories import look, record
from tests.app.ui.scripted_agent import LONG_MS, show_candidate

LEFT = Qt.MouseButton.LeftButton


def test_a_click_on_a_look_shows_its_window(qtbot, context, panel, measured):
    trajectory = kept(qtbot, context, measured)
    card = next(card for card in panel.timeline.cards if card.content.kind == "look")
    with qtbot.waitSignal(context.agent.shown.look_changed) as looking:
        qtbot.mouseClick(card, LEFT, pos=QPoint(card.width() - 20, 12))
    shift = 1.0 + (trajectory.spectrum.z or 0.0)
    low, high = trajectory.looks[0].range
    assert looking.args == [(low * shift, high * shift), trajectory.looks[0].label]
    assert card.is_current


def test_rerunning_from_a_step_of_a_record(qtbot, scripted, scripted_panel):
    scripted.agent.choose_model("good")
    show_candidate(qtbot, scripted, act="plain")
    with qtbot.waitSignal(scripted.agent.finished, timeout=LONG_MS):
        scripted.agent.run_here()
    scripted.commands.run("step")
    card = next(card for card in scripted_panel.timeline.cards if card.is_current)
    assert card.can_rerun
    go_on = card._layout_for(card.width()).rerun
    qtbot.mouseClick(card, LEFT, pos=go_on.center().toPoint())
    assert scripted.agent.is_paused and len(scripted.agent.shown.steps) == 2
    with qtbot.waitSignal(scripted.agent.finished, timeout=LONG_MS) as ended:
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


def test_both_themes_paint(qtbot, context, panel, measured):
    kept(qtbot, context, measured)
    light = panel.timeline.cards[0].grab().toImage()
    context.current_theme.use(DARK)
    dark = panel.timeline.cards[0].grab().toImage()
    assert brightness(light) > 150 > brightness(dark)


def brightness(image: QImage) -> int:
    return image.pixelColor(image.width() - 12, image.height() - 5).lightness()
