"""A window with the tour running."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect

from tests.app.ui.whole_window import LEFT, before_window


@pytest.fixture
def person(qtbot, place):
    with before_window(qtbot, place) as someone:
        someone.window.commands.run("tour")
        yield someone


TITLES = ["The list", "The spectrum", "Your verdict", "The agent", "The catalogue"]


def tour(person):
    return person.window.tour


def title(person):
    """The title in the bubble; "" if no tour is running."""
    bubble = tour(person).bubble
    return bubble.title.text() if bubble is not None and bubble.isVisible() else ""


def hole(person):
    return tour(person).spotlight.hole


def around(person, widget):
    return QRect(widget.mapTo(person.window, QPoint(0, 0)), widget.size())


def click(person, button):
    person.qtbot.mouseClick(button, LEFT)
