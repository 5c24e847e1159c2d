"""Under which name verdicts are kept."""

from __future__ import annotations

import os

from app.core.user_name import user_name
from app.ui.settings import Settings


def reviewer_name(settings: Settings) -> str:
    """Chosen in the settings, or told by the environment, or the name on this machine."""
    if settings.reviewer.strip():
        return settings.reviewer.strip()
    if given := os.environ.get("SPEC_O3_REVIEWER", "").strip():
        return given
    return user_name("somebody")
