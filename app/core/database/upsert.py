"""Insert rows, or update those that are there: one statement, so that two writers never collide."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Table


def insert_or_update(connection: Connection, table: Table) -> Any:
    """The dialect's `insert`, which has `on_conflict_do_update`."""
    # Imported here, as users of a file need not wait for the dialect of a server.
    if connection.dialect.name == "sqlite":
        from sqlalchemy.dialects import sqlite

        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(table)
