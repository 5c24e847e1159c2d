"""Context help: the page of the guide for each part of the window."""

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
    "overview_page": "vetting",
    "agent_faults_page": "rating",
}
"""Guide page by the action that opens a page of the session."""
AGENT, EXPORT, LISTS, MODELS, ABOUT = "agent", "export", "formats", "models", "what-it-is"
SHARING, KNOWN = "sharing", "known-answers"


def help_page_for(session_page: str, *, in_agent: bool = False, is_importing: bool = False) -> str:
    """The guide page for the current state; `session_page` is "" before a session is open."""
    if is_importing:
        return LISTS
    if in_agent and session_page == "judging_page":
        return AGENT
    return BY_PAGE.get(session_page, FIRST)


def add_help_key(dialog: QWidget, page: str, show: Callable[[str], object]) -> None:
    """Add F1 to a dialog, which the key filter of the main window does not cover."""
    QShortcut(QKeySequence("F1"), dialog).activated.connect(partial(show, page))
