"""Whether a database holds a session's tables, and nothing that runs by itself.

A session may come from a stranger. A view where a table should be, or a trigger, makes every query
do what its author liked; neither has any place in a session.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, text

from agent.checked_toml import shown
from app.core.database.tables import metadata
from app.core.errors import SessionError

PLAIN = ("CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX ")
"""How SQLite itself writes down what only holds data."""


def refuse_executable_schema(connection: Connection, place: Path | str) -> None:
    """Views, triggers and virtual tables of a file; a server's belong to whoever runs it."""
    if connection.dialect.name != "sqlite":
        return
    # By its words, not its `type`: SQLite goes by them, and a stranger may have written both.
    for name, sql in connection.exec_driver_sql("SELECT name, sql FROM sqlite_schema"):
        if sql is not None and not str(sql).startswith(PLAIN):
            raise SessionError(
                f"{place} holds {shown(str(name))}, which is neither table nor index. No session "
                "does: do not trust where it comes from"
            )


def refuse_incomplete(connection: Connection, place: Path | str) -> None:
    """A SessionError where a table or a column is missing, or is computed instead of kept."""
    is_file = connection.dialect.name == "sqlite"
    columns = _columns_of_file(connection) if is_file else _columns_of_server(connection)
    for table in metadata.sorted_tables:
        missing = {column.name for column in table.columns} - columns.get(table.name, set())
        if missing:
            lacks = f"its table {table.name} lacks {', '.join(sorted(missing))}"
            if table.name not in columns:
                lacks = f"it lacks the table {table.name}"
            raise SessionError(f"{place} is damaged: {lacks}. Open a backup")


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
