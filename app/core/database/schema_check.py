"""Checks that a database has the tables of a session, defined as this program defines them.

A session may come from an untrusted person. A trigger, or a view in place of a table, could make
our queries run its author's SQL; ON DELETE CASCADE could empty the log; an index on an expression
could make every verdict take seconds. No session needs any of it.
"""

import re
from collections import Counter
from functools import lru_cache
from pathlib import Path

from sqlalchemy import Connection, MetaData, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from agent.checked_toml import shown
from app.core.database.tables import metadata
from app.core.errors import SessionError

DATA_ONLY = ("CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX ")
"""How SQLite's schema text begins for tables and plain indexes."""

Definition = tuple[str, str, str, str]  # type, name, table and SQL of an entry in SQLite's schema

ORDER_INDEX = re.compile(
    r"CREATE INDEX queue_\w+ ON candidates \("
    r"(?:[- +*/%&(),<>=.0-9]|1e300|abs|coalesce|''|CASE|WHEN|THEN|ELSE|END|IS|NOT|NULL|WHERE|AND"
    r"|id|list_id|lower|object_id|label|snr|score|ra|dec|judged_by|surprise|agents_differ|agent_members|agent_p_yes|p_combined){1,600}",
    re.ASCII,
)
"""Any of app.core.queue.order_indexes, of this version or another: arithmetic, which is quick."""

STATISTICS = {
    "sqlite_stat1": "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "sqlite_stat4": "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}
"""What the ANALYZE of another program leaves."""

MAX_SQL = 4000
COLUMNS_OF_FILE = (
    "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_xinfo(t.name) c "
    "WHERE t.type = 'table' AND c.hidden = 0"
)
COLUMNS_OF_SERVER = (
    "SELECT table_name, column_name FROM information_schema.columns "
    "WHERE table_schema = ANY (current_schemas(false))"
)


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
    query = COLUMNS_OF_FILE if connection.dialect.name == "sqlite" else COLUMNS_OF_SERVER
    columns: dict[str, set[str]] = {}
    for name, column_name in connection.execute(text(query)):
        columns.setdefault(name, set()).add(column_name)
    for table in metadata.sorted_tables:
        missing = {column.name for column in table.columns} - columns.get(table.name, set())
        if missing:
            reason = f"its table {table.name} lacks {', '.join(sorted(missing))}"
            if table.name not in columns:
                reason = f"it lacks the table {table.name}"
            raise SessionError(f"{location} is damaged: {reason}. Open a backup")


def refuse_foreign_definitions(connection: Connection, location: Path | str) -> None:
    """Refuse a file with a table or index that is defined in another way than ours, or is extra."""
    if connection.dialect.name != "sqlite":
        return
    query = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL"
    found = Counter(
        (str(kind), str(name), str(table), _normalized(str(sql)))
        for kind, name, table, sql in connection.exec_driver_sql(query)
        if not _is_optional(str(name), str(table), str(sql))
    )
    differing = (found - _own_definitions(metadata)) or (_own_definitions(metadata) - found)
    if differing:
        kind, name, *_ = min(differing)
        raise SessionError(
            f"{location} is not used: its {shown(kind)} {shown(name)} is not as this program makes "
            "it, so the file is damaged or was tampered with. Nothing was changed. Open a backup, "
            "or ask its sender for another copy"
        )


@lru_cache(maxsize=2)
def _own_definitions(tables: MetaData) -> Counter[Definition]:
    dialect = sqlite.dialect()
    found: Counter[Definition] = Counter()
    for table in tables.sorted_tables:
        sql = str(CreateTable(table).compile(dialect=dialect))
        found["table", table.name, table.name, _normalized(sql)] += 1
        for index in table.indexes:
            sql = str(CreateIndex(index).compile(dialect=dialect))
            found["index", str(index.name), table.name, _normalized(sql)] += 1
    return found


def _normalized(sql: str) -> str:
    """The SQL with single blanks, and the columns and constraints of a table in a fixed order.

    A migration's ALTER TABLE appends a column behind the constraints.
    """
    if len(sql) > MAX_SQL:
        return "too long"
    # Which names SQLAlchemy puts in quotes depends on its version.
    sql = re.sub(r'"(\w+)"', r"\1", " ".join(sql.split()))
    head, bracket, rest = sql.partition("(")
    inner, _, tail = rest.rpartition(")")
    if not bracket or not head.startswith("CREATE TABLE"):
        return sql
    # A comma within parentheses separates the columns of a key: keep those together.
    parts = re.split(r",(?![^()]*\))", inner)
    return f"{head}({','.join(sorted(part.strip() for part in parts))}){tail}"


def _is_optional(name: str, table: str, sql: str) -> bool:
    if len(sql) > MAX_SQL:
        return False
    if name in STATISTICS:
        return table == name and sql == STATISTICS[name]
    begins_so = sql.startswith(f"CREATE INDEX {name} ON {table} (")
    return begins_so and ORDER_INDEX.fullmatch(sql) is not None
