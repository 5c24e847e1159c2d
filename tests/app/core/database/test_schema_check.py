"""Damaged or executable schemas are refused, in a file and on a server."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from app.core.errors import SessionError
from app.core.session.session import open_session
from tests.app.core.database.postgres import name_of
from tests.app.core.session.hostile import prepare, use
from tests.app.core.sessions import made

DEEP = "[" * 100_000

SCHEMAS = {
    "a table is missing": "DROP TABLE refused_rows",
    "the facts are missing": "DROP TABLE facts",
    "a column is missing": "ALTER TABLE log DROP COLUMN shown",
    "a column has another name": "ALTER TABLE candidates RENAME COLUMN path TO where_it_is",
    "a view for a table": "ALTER TABLE refused_rows RENAME TO kept; "
    "CREATE VIEW refused_rows AS SELECT * FROM kept",
    "a view that never ends": "CREATE VIEW more AS WITH RECURSIVE n(i) AS "
    "(SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON log BEGIN DELETE FROM log; END",
    "a trigger before": "CREATE TRIGGER t BEFORE INSERT ON log BEGIN SELECT RAISE(IGNORE); END",
    "a virtual table": "CREATE VIRTUAL TABLE words USING fts4(a)",
    "a trigger called a table": "CREATE TRIGGER t AFTER INSERT ON log BEGIN DELETE FROM log; END; "
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET type = 'table' WHERE name = 't'",
    "words that are no schema": "PRAGMA writable_schema = ON; "
    "UPDATE sqlite_schema SET sql = 'CREATE TABLE log (' WHERE name = 'log'",
    "no schema at all": "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema",
    "tables of the wrong place": "PRAGMA writable_schema = ON; "
    "UPDATE sqlite_schema SET rootpage = 3 WHERE name = 'log'",
    "a computed column": "ALTER TABLE repeats DROP COLUMN comment; "
    "ALTER TABLE repeats ADD COLUMN comment TEXT AS (hex(zeroblob(100000000)))",
    "no version": "PRAGMA user_version = 0",
    "a version below all": "PRAGMA user_version = -1",
    "a version beyond all": "PRAGMA user_version = 2147483647",
    "no task": "DELETE FROM facts WHERE key = 'task'",
    "a task of bytes": "UPDATE facts SET value = x'00ff' WHERE key = 'task'",
    "a task that is none": "UPDATE facts SET value = 'id = 3' WHERE key = 'task'",
    "a task without an end": "UPDATE facts SET value = 'id = [' WHERE key = 'task'",
    "a deep task": f"UPDATE facts SET value = 'id = {DEEP}' WHERE key = 'task'",
    "a name of bytes": "UPDATE facts SET value = x'ff' WHERE key = 'name'",
    "a name that is no text": "UPDATE facts SET value = CAST(x'c328' AS TEXT) WHERE key = 'name'",
}


@pytest.mark.parametrize("what", SCHEMAS)
@pytest.mark.parametrize("read_only", [False, True])
def test_a_schema_no_session_has(file_location, what, read_only):
    prepare(file_location, SCHEMAS[what])
    with pytest.raises(SessionError) as told:
        use(file_location, read_only=read_only)
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 600
    assert not list(file_location.parent.glob(".*lock"))
    if "writable_schema" not in SCHEMAS[what]:
        with closing(sqlite3.connect(file_location)) as connection:
            assert connection.execute("SELECT count(*) FROM log").fetchone() == (3,)


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("ALTER TABLE log DROP COLUMN shown", "its table log lacks shown"),
        ("DROP TABLE refused_rows", "lacks the table refused_rows"),
    ],
)
def test_a_damaged_schema(cluster, team_location, statement, told):
    made(team_location).close()
    cluster.run(statement, name_of(team_location))
    with pytest.raises(SessionError, match=told):
        open_session(team_location, "Ada")
