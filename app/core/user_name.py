"""What the system calls whoever sits before it."""

from __future__ import annotations

import getpass


def user_name(otherwise: str) -> str:
    """`otherwise` for a user without a name, as in some containers."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return otherwise
