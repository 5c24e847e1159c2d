"""What tests of the judging part do over and over."""

from __future__ import annotations

from app.ui.session_context import Workplace


def put_on_desk(qtbot, place: Workplace, number: int = 1) -> None:
    """With its spectrum drawn, as the plot says it."""
    desk = place.desk
    if desk.candidate is None or desk.candidate.id != number:
        desk.go_to(number)
    painted(qtbot, place, number)


def painted(qtbot, place: Workplace, number: int) -> None:
    desk = place.desk
    qtbot.waitUntil(
        lambda: (
            desk.candidate is not None and desk.candidate.id == number and desk.spectrum is not None
        )
    )
    desk.note_painted(number)


def shown_in(qtbot, widget, width: int = 640, height: int = 480):
    """On screen, active, with nothing focused."""
    qtbot.addWidget(widget)
    widget.resize(width, height)
    widget.show()
    widget.activateWindow()
    qtbot.waitExposed(widget)
    return widget
