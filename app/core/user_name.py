"""The name of the user, from the operating system or the environment."""

from __future__ import annotations

import getpass
import os

REVIEWER_VARIABLE = "SPEC_O3_REVIEWER"


def system_user_name(fallback: str) -> str:
    """The login name, or `fallback` where there is none, as in some containers."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return fallback


def name_from_environment() -> str:
    """The reviewer name set in SPEC_O3_REVIEWER, empty if unset."""
    return os.environ.get(REVIEWER_VARIABLE, "").strip()
