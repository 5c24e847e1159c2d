"""Which page of the guide fits where a person is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from app.ui.help.pages import FIRST

BY_PAGE: Mapping[str, str] = {
    "judging_page": "vetting",
    "disagreement_page": "teams",
    "agreement_page": "calibration",
    "history_page": "vetting",
}
"""Pages of a session, by the action that opens them."""
AGENT, EXPORT, LISTS, MODELS, ABOUT = "agent", "export", "formats", "models", "what-it-is"


def page_for(session_page: str, *, in_agent: bool = False, is_importing: bool = False) -> str:
    """The name of a page; the first one where none is nearer. `session_page` is empty before a
    session is open."""
    if is_importing:
        return LISTS
    if in_agent and session_page == "judging_page":
        return AGENT
    return BY_PAGE.get(session_page, FIRST)


def offer_guide(dialog: QWidget, page: str, show: Callable[[str], object]) -> None:
    """F1 in a window that is not the main one, whose keys do not reach it."""
    QShortcut(QKeySequence("F1"), dialog).activated.connect(partial(show, page))
