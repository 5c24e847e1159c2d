"""What the system or its environment calls whoever sits before it."""

from __future__ import annotations

import getpass
import os

REVIEWER_VARIABLE = "SPEC_O3_REVIEWER"


def user_name(otherwise: str) -> str:
    """`otherwise` for a user without a name, as in some containers."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return otherwise


def told_name() -> str:
    """By the environment; nothing where it says nothing."""
    return os.environ.get(REVIEWER_VARIABLE, "").strip()
