"""Upgrades older tables step by step. A released step is never edited.

New sessions get the current tables directly. A step writes its own SQL instead of importing
`tables`, because those definitions keep changing.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection

from app.core.database.tables import metadata

Step = Callable[[Connection], None]

STEPS: tuple[Step, ...] = ()
"""Step n, counted from 1, upgrades version n to n + 1."""

VERSION = 1 + len(STEPS)


def migrate(connection: Connection, version: int) -> None:
    """Create the tables (version 0) or upgrade them, in the caller's transaction."""
    if version == 0:
        metadata.create_all(connection)
        return
    for step in STEPS[version - 1 :]:
        step(connection)
