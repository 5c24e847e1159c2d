"""Under which name verdicts are kept."""

from __future__ import annotations

from app.core.user_name import told_name, user_name
from app.ui.settings.settings import Settings


def reviewer_name(settings: Settings) -> str:
    """Chosen in the settings, or told by the environment, or the name on this machine."""
    if settings.reviewer.strip():
        return settings.reviewer.strip()
    return told_name() or user_name("somebody")
