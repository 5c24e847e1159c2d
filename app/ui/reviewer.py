"""Under which name verdicts are kept."""

from __future__ import annotations

import getpass
import os

from app.ui.settings import Settings


def reviewer_name(settings: Settings) -> str:
    """Chosen in the settings, or told by the environment, or the name on this machine."""
    if settings.reviewer.strip():
        return settings.reviewer.strip()
    if given := os.environ.get("SPEC_O3_REVIEWER", "").strip():
        return given
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without a name, as in some containers
        return "somebody"
