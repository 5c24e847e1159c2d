"""A session from a stranger, or from a failing disk: a clear SessionError, whatever lies in it."""

from __future__ import annotations

import itertools
import json
import random
import sqlite3
from contextlib import closing

import pytest

from app.core.errors import SessionError
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.app.core.sessions import made

ACCEPT, REJECT, _ = (Opinion(verdict=verdict) for verdict in Verdict)
DEEP = "[" * 100_000
HUGE = 2**63 - 1

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
def test_a_schema_no_session_has(file_place, what, read_only):
    prepare(file_place, SCHEMAS[what])
    with pytest.raises(SessionError) as told:
        use(file_place, read_only=read_only)
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 600
    assert not list(file_place.parent.glob(".*lock"))
    if "writable_schema" not in SCHEMAS[what]:
        with closing(sqlite3.connect(file_place)) as connection:
            assert connection.execute("SELECT count(*) FROM log").fetchone() == (3,)


VALUES = {
    "log": {
        "at": ["x'00'", "7"],
        "action": ["'drop'", "''", "x'00'", "9"],
        "reviewer_id": ["61", "-1", "0", str(HUGE), "'Ada'"],
        "candidate_id": ["99", "-1", "'x'", str(HUGE)],
        "verdict": ["'MAYBE'", "7", "x'00'", "''"],
        "confidence": ["5", "-1", "'sure'", "2.5", str(HUGE), "x'00'"],
        "flags": ["'null'", "'{}'", "'[1]'", "'['", "''", "x'00'", f"'{DEEP}'", "'[\"\"]'", "'1'"],
        "comment": ["x'00'", "printf('%.20000c', 'x')", "7", "CAST(x'c328' AS TEXT)", "char(0)"],
        "seconds": ["'long'", "x'00'", "-1e999"],
        "shown": ["'null'", "'[]'", "'{'", "x'00'", f"'{DEEP}'", f"'{'9' * 5000}'"],
        "before_id": ["99", "1", "-1", "'x'", str(HUGE)],
        "below_id": ["99", "1", "id", "'x'", str(HUGE)],
        "target_id": ["99", "NULL", "id", "'x'"],
        "undo_top_id": ["99", "id", "'x'"],
        "redo_top_id": ["99", "id", "'x'"],
        "id": [str(HUGE), "-id"],
    },
    "judgements": {
        "log_id": ["99", "'x'", "3"],
        "verdict": ["'MAYBE'", "7"],
        "flags": ["'null'", "x'00'"],
        "comment": ["7", "x'00'"],
        "at": ["7", "x'00'"],
        "reviewer_id": ["99", "'x'"],
        "candidate_id": ["99", "'x'"],
    },
    "reviewers": {
        "name": ["x'00'", "char(0)", "7", "printf('%.900c', 'x')"],
        "id": ["61", "0", "-1", str(HUGE)],
    },
    "candidates": {
        "judged_by": ["'x'", "-1", str(HUGE), "x'00'"],
        "own": ["'null'", "'['", f"'{DEEP}'", "x'00'"],
        "path": ["x'00'", "7"],
        "ra": ["'east'", "x'00'"],
        "row": ["'x'", "2.5"],
        "line": ["'x'"],
        "list_id": ["99", "'x'"],
        "agent_verdict": ["'MAYBE'", "7"],
        "agent_p_yes": ["'x'"],
    },
    "facts": {"key": ["x'00' || key"], "value": ["x'00'", "char(0)", "''"]},
}


@pytest.mark.parametrize("table", VALUES)
def test_values_no_session_has(file_place, tmp_path, table):
    """In all rows, in one row, before and after an undo: no error but ours, and lines stay."""
    made_once = tmp_path / "made.speco3"
    prepare(made_once)
    whole = made_once.read_bytes()
    refused = 0
    pairs = [(column, value) for column, values in VALUES[table].items() for value in values]
    wheres = itertools.cycle(["", " WHERE rowid = 2", " ORDER BY rowid DESC LIMIT 1"])
    for (column, value), where in zip(pairs, wheres, strict=False):
        file_place.write_bytes(whole)
        if not spoil(file_place, table, column, value, where):
            continue
        with closing(sqlite3.connect(file_place)) as connection:
            before = connection.execute("SELECT count(*) FROM log").fetchone()[0]
        try:
            use(file_place)
        except SessionError:
            refused += 1
            # All is let go of, though the error still knows what was being read.
            assert sorted(tmp_path.glob("night*")) == [file_place]
        with closing(sqlite3.connect(file_place)) as connection:
            assert connection.execute("SELECT count(*) FROM log").fetchone()[0] >= before
    assert refused > 0


def spoil(place, table, column, value, where):
    """Whether SQLite itself lets that in."""
    inner = f"SELECT rowid FROM {table}{where}"
    with closing(sqlite3.connect(place)) as connection:
        try:
            connection.execute(
                f'UPDATE "{table}" SET "{column}" = {value} WHERE rowid IN ({inner})'
            )
            connection.commit()
        except (sqlite3.IntegrityError, sqlite3.OperationalError):
            return False
    return True


@pytest.mark.parametrize("seed", range(6))
def test_a_failing_disk(file_place, tmp_path, seed):
    """Bytes that came back wrong, anywhere in the file."""
    chance = random.Random(seed)
    made_once = tmp_path / "made.speco3"
    prepare(made_once)
    whole = made_once.read_bytes()
    found = set()
    for _ in range(25):
        spoilt = bytearray(whole)
        for _ in range(chance.choice([1, 3, 30])):
            start = chance.randrange(len(spoilt))
            some = chance.randbytes(chance.choice([1, 2, 16, 600]))
            spoilt[start : start + len(some)] = some
        file_place.write_bytes(spoilt)
        for beside in file_place.parent.glob("night.speco3-*"):
            beside.unlink()
        try:
            use(file_place)
            found.add("used")
        except SessionError:
            found.add("refused")
    assert found == {"used", "refused"}


def prepare(place, script=""):
    """A session of three lines of the log, and what a stranger did to it."""
    with made(place) as session:
        session.record_verdict(1, ACCEPT)
        session.record_verdict(2, REJECT)
        session.undo()
    with closing(sqlite3.connect(place)) as connection:
        connection.executescript("PRAGMA journal_mode = DELETE")
        connection.executescript(script)


def use(place, *, read_only=False):
    """All that a session can do; the first SessionError, once all was tried."""
    first = None

    def tried(call, *values, **more):
        nonlocal first
        try:
            return call(*values, **more)
        except SessionError as error:
            first = first or error

    with open_session(place, "Ada", read_only=read_only) as session:
        tried(lambda: list(session.history()))
        tried(lambda: list(session.history(1)))
        for number in (1, 2, 5):
            tried(session.judgements, number)
            tried(session.candidate, number)
        if not read_only:
            for number in (1, 2, 3):
                tried(session.record_verdict, number, ACCEPT, shown={"verdict": "YES"})
                tried(session.undo)
                tried(session.undo)
                tried(session.redo)
            tried(session.set_fact, "blind", json.dumps(True))
        tried(session.count)
        assert session.name is not None
    if first is not None:
        raise first
