"""From one version of the tables to the next. A step is never edited once it is released.

A new session gets today's tables at once; the steps are for older ones alone. So each names what it
changes in words of its own, never through `tables`, which goes on changing.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection

from app.core.database.tables import metadata

Step = Callable[[Connection], None]

STEPS: tuple[Step, ...] = ()
"""The n-th step, from 1, leads from version n to n + 1."""

VERSION = 1 + len(STEPS)


def migrate(connection: Connection, version: int) -> None:
    """Bring the tables from `version`, 0 for none, to today's, in the caller's transaction."""
    if version == 0:
        metadata.create_all(connection)
        return
    for step in STEPS[version - 1 :]:
        step(connection)
