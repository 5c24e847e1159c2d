"""From one version of the tables to the next. A step is never edited once it is released."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection

from app.core.tables import metadata

Step = Callable[[Connection], None]


def _to_1(connection: Connection) -> None:
    metadata.create_all(connection)


STEPS: tuple[Step, ...] = (_to_1,)
"""The n-th step leads to version n + 1."""

VERSION = len(STEPS)


def migrate(connection: Connection, version: int) -> None:
    """Bring the tables from `version`, 0 for none, to today's, in the caller's transaction."""
    for step in STEPS[version:]:
        step(connection)
