"""The list of cards: what it shows, and which step is marked."""

from __future__ import annotations

from PySide6.QtCore import Qt

from tests.app.ui.agent.panel_steps import kept
from tests.app.ui.agent.trajectories import record

LEFT = Qt.MouseButton.LeftButton


def test_the_overview_text_is_the_first_card(qtbot, context, panel):
    told = "3650 to 9200 Å; S/N 14; Hα (---) -48"
    kept(qtbot, context, record(overview_text=told))
    first, second = panel.timeline.cards[:2]
    assert (first.content.title, first.content.text) == ("The whole spectrum", told)
    assert first.content.index == -1 and second.content.index == 0
    context.commands.run("step")
    assert not first.is_current and panel.timeline.card_of(1).is_current


def test_space_steps_through_the_looks_and_marks_them(qtbot, context, panel, measured):
    trajectory = kept(qtbot, context, measured)
    marked = []
    for _ in range(len(trajectory.looks) + 1):
        context.commands.run("step")
        marked += [card.content.index for card in panel.timeline.cards if card.is_current]
    places = [place for place, step in enumerate(trajectory.steps) if step.is_look]
    assert marked == [*places, places[0]]


def test_a_hidden_panel_builds_no_cards(qtbot, context, panel):
    panel.hide()
    kept(qtbot, context, record())
    assert panel.timeline.cards == () and panel.pictures.images == {}
    panel.show()
    assert panel.timeline.cards != ()
