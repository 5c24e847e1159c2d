"""Checks that a database has the tables of a session and no executable schema.

A session may come from an untrusted person. A trigger, or a view in place of a table, could make
our queries run its author's SQL; no session needs either.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, text

from agent.checked_toml import shown
from app.core.database.tables import metadata
from app.core.errors import SessionError

DATA_ONLY = ("CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX ")
"""How SQLite's schema text begins for tables and plain indexes."""


def refuse_executable_schema(connection: Connection, location: Path | str) -> None:
    """Refuse views, triggers and virtual tables in a file; a server is its owner's business."""
    if connection.dialect.name != "sqlite":
        return
    # Check the SQL text, not the `type` column: SQLite runs the text, and both can be forged.
    for name, sql in connection.exec_driver_sql("SELECT name, sql FROM sqlite_schema"):
        if sql is not None and not str(sql).startswith(DATA_ONLY):
            raise SessionError(
                f"{location} contains {shown(str(name))}, which is neither a table nor an index. "
                "No session needs that, so do not trust its source"
            )


def refuse_incomplete(connection: Connection, location: Path | str) -> None:
    """Refuse a database with a missing table, or with a missing or computed column."""
    is_file = connection.dialect.name == "sqlite"
    columns = _columns_of_file(connection) if is_file else _columns_of_server(connection)
    for table in metadata.sorted_tables:
        missing = {column.name for column in table.columns} - columns.get(table.name, set())
        if missing:
            reason = f"its table {table.name} lacks {', '.join(sorted(missing))}"
            if table.name not in columns:
                reason = f"it lacks the table {table.name}"
            raise SessionError(f"{location} is damaged: {reason}. Open a backup")


def _columns_of_file(connection: Connection) -> dict[str, set[str]]:
    query = """
        SELECT t.name, c.name FROM sqlite_schema t, pragma_table_xinfo(t.name) c
        WHERE t.type = 'table' AND c.hidden = 0
    """
    found: dict[str, set[str]] = {}
    for table, column in connection.exec_driver_sql(query):
        found.setdefault(table, set()).add(column)
    return found


def _columns_of_server(connection: Connection) -> dict[str, set[str]]:
    query = text("""
        SELECT table_name, column_name FROM information_schema.columns
        WHERE table_schema = ANY (current_schemas(false))
    """)
    found: dict[str, set[str]] = {}
    for table, column in connection.execute(query):
        found.setdefault(table, set()).add(column)
    return found
