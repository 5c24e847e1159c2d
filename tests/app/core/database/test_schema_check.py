"""Damaged or executable schemas are refused, in a file and on a server."""

import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import delete

from app.core.database.database import Database
from app.core.database.tables import facts
from app.core.errors import SessionError
from app.core.queue.filters import And, InList, MyVerdict
from app.core.queue.order_indexes import ensure_indexes, order_index, split_filter
from app.core.queue.sorts import SORT_KEYS, parse_sort
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
def test_a_schema_no_session_has(file_location, what):
    prepare(file_location, SCHEMAS[what])
    for read_only in (True, False):
        with pytest.raises(SessionError) as told:
            use(file_location, read_only=read_only)
        assert "\n" not in str(told.value) and len(str(told.value)) < 600
        assert not list(file_location.parent.glob(".*lock"))
    if "writable_schema" not in SCHEMAS[what]:
        with closing(sqlite3.connect(file_location)) as connection:
            assert connection.execute("SELECT count(*) FROM log").fetchone() == (3,)


def rewritten(table, old, new):
    """Another definition of a table, as a patient forger writes it."""
    return (
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = "
        f"replace(sql, '{old}', '{new}') WHERE name = '{table}'"
    )


LINK = "REFERENCES candidates (id)"
FORGED = {
    "a cascade": rewritten("log", LINK, f"{LINK} ON DELETE CASCADE"),
    "a cascade on update": rewritten("judgements", LINK, f"{LINK} ON UPDATE SET NULL"),
    "a link that is gone": rewritten("log", f"FOREIGN KEY(candidate_id) {LINK}", "CHECK (1)"),
    "a check that takes long": rewritten(
        "log", "comment TEXT NOT NULL", "comment TEXT NOT NULL CHECK (length(hex(flags)) > 0)"
    ),
    "a default that is computed": rewritten(
        "log", "comment TEXT NOT NULL", "comment TEXT NOT NULL DEFAULT (hex(randomblob(9)))"
    ),
    "an order of characters": rewritten("reviewers", "name TEXT", "name TEXT COLLATE NOCASE"),
    "a strict table": rewritten("facts", '("key")\n)', '("key")\n) STRICT'),
    "another kind of column": rewritten("log", "seconds DOUBLE", "seconds BLOB"),
    "a conflict that deletes": rewritten(
        "reviewers", "UNIQUE (name)", "UNIQUE (name) ON CONFLICT REPLACE"
    ),
    "a name that may be missing": rewritten("reviewers", "name TEXT NOT NULL", "name TEXT"),
    "one more table": "CREATE TABLE more (id INTEGER PRIMARY KEY, "
    "log_id INTEGER REFERENCES log (id) ON DELETE CASCADE)",
    "one more column": "ALTER TABLE lists ADD COLUMN more TEXT",
    "an index that takes long": "CREATE INDEX more ON log (length(hex(zeroblob(9 + length(at)))))",
    "an order that takes long": "CREATE INDEX queue_score_up ON candidates "
    "(length(hex(zeroblob(9 + id))), id)",
    "an order of another table": "CREATE INDEX queue_score_up ON log (id)",
    "an order that is unique": "CREATE UNIQUE INDEX queue_score_up ON candidates (id)",
    "an order with a text": "CREATE INDEX queue_score_up ON candidates (coalesce('x', id))",
    "an endless order": f"CREATE INDEX queue_list ON candidates ({'+'.join(['id'] * 900)})",
    "another condition": "DROP INDEX log_origin; CREATE INDEX log_origin ON log (origin) "
    "WHERE length(comment) > 9",
    "an index that is missing": "DROP INDEX candidates_hash",
    "tables without row numbers": "DROP TABLE calibrations; CREATE TABLE calibrations "
    "(id INTEGER NOT NULL, model TEXT NOT NULL, fitted_at TEXT NOT NULL, content TEXT NOT NULL, "
    "PRIMARY KEY (id)) WITHOUT ROWID",
}


@pytest.mark.parametrize("what", FORGED)
def test_a_schema_of_a_forger(file_location, what):
    """Tables with other rules than ours could delete lines of the log, or take an age."""
    prepare(file_location, FORGED[what])
    before = file_location.read_bytes()
    for read_only in (True, False):
        with pytest.raises(SessionError, match="not as this program makes") as told:
            open_session(file_location, "Ada", read_only=read_only)
        assert "\n" not in str(told.value) and "Delete it" not in str(told.value)
    assert file_location.read_bytes()[100:] == before[100:]


@pytest.mark.parametrize("script", [
    "PRAGMA user_version = 0",
    "PRAGMA user_version = -1",
    "DELETE FROM facts",
    "DELETE FROM facts; PRAGMA foreign_keys = OFF; DELETE FROM candidates",
])  # fmt: skip
def test_nobody_is_told_to_delete_verdicts(file_location, script):
    prepare(file_location, script)
    for read_only in (True, False):
        with pytest.raises(SessionError, match="damaged") as told:
            open_session(file_location, "Ada", read_only=read_only)
        assert "Delete it" not in str(told.value)


def test_what_is_empty_may_be_deleted(file_location):
    with closing(Database(file_location, "create")) as database, database.writing() as connection:
        connection.execute(delete(facts))
    for read_only in (True, False):
        with pytest.raises(SessionError, match=r"creation was interrupted\. Delete it"):
            open_session(file_location, "Ada", read_only=read_only)


def test_orders_and_statistics_are_no_strangers(file_location):
    """The program's own indexes for orders; and somebody may have run ANALYZE on their session."""
    with made(file_location) as session:
        indexes = [
            order_index(parse_sort(words), split_filter(tree, 1)[0])
            for words in (*SORT_KEYS, "score:up", "random:7")
            for tree in (And(()), MyVerdict(None), And((MyVerdict(None), InList(1))))
        ]
        assert len(ensure_indexes(session, indexes)) > 20
    with closing(sqlite3.connect(file_location)) as connection:
        connection.execute("ANALYZE")
    for read_only in (True, False):
        with open_session(file_location, "Ada", read_only=read_only) as session:
            assert session.count() == 5


@pytest.mark.parametrize(("statement", "told"), [
    ("ALTER TABLE log DROP COLUMN shown", "its table log lacks shown"),
    ("DROP TABLE refused_rows", "lacks the table refused_rows"),
])  # fmt: skip
def test_a_damaged_schema(cluster, team_location, statement, told):
    made(team_location).close()
    cluster.run(statement, name_of(team_location))
    with pytest.raises(SessionError, match=told):
        open_session(team_location, "Ada")
