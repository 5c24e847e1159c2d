"""Cards of the left column fold by a click on their heading."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from app.ui.widgets.folding_card import OPEN, SHUT, FoldingCard
from tests.app.ui.steps import shown_in


def test_a_click_on_the_heading_folds_and_unfolds(qtbot):
    card, inside = FoldingCard("Queue"), QLabel("inside")
    card.inside.addWidget(inside)
    shown_in(qtbot, card, 200, 100)
    assert card.heading.text() == f"{OPEN} Queue" and inside.isVisible()
    qtbot.mouseClick(card.heading, Qt.MouseButton.LeftButton)
    assert card.heading.text() == f"{SHUT} Queue" and not inside.isVisible()
    qtbot.mouseClick(card.heading, Qt.MouseButton.LeftButton)
    assert inside.isVisible()
