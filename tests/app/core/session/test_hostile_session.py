"""Sessions with invalid values or damaged bytes: a clear SessionError, whatever they contain."""

import itertools
import random
import sqlite3
from contextlib import closing

import pytest

from app.core.errors import SessionError
from tests.app.core.session.hostile import use, whole
from tests.night import seeds

DEEP = "[" * 100_000
HUGE = 2**63 - 1

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
        "log_id": ["99", "'x'", "3"], "verdict": ["'MAYBE'", "7"], "flags": ["'null'", "x'00'"],
        "comment": ["7", "x'00'"], "at": ["7", "x'00'"], "reviewer_id": ["99", "'x'"],
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
}  # fmt: skip


@pytest.mark.parametrize("table", VALUES)
def test_values_no_session_has(file_location, tmp_path, table):
    """In all rows, in one row, before and after an undo: no error but ours, and lines stay."""
    refused = 0
    pairs = [(column, value) for column, values in VALUES[table].items() for value in values]
    wheres = itertools.cycle(["", " WHERE rowid = 2", " ORDER BY rowid DESC LIMIT 1"])
    for (column, value), where in zip(pairs, wheres, strict=False):
        file_location.write_bytes(whole())
        if not spoil(file_location, table, column, value, where):
            continue
        with closing(sqlite3.connect(file_location)) as connection:
            before = connection.execute("SELECT count(*) FROM log").fetchone()[0]
        try:
            use(file_location)
        except SessionError:
            refused += 1
            # All is let go of, though the error still knows what was being read.
            assert sorted(tmp_path.glob("night*")) == [file_location]
        with closing(sqlite3.connect(file_location)) as connection:
            assert connection.execute("SELECT count(*) FROM log").fetchone()[0] >= before
    assert refused > 0


def spoil(location, table, column, value, where):
    """Whether SQLite itself lets that in."""
    inner = f"SELECT rowid FROM {table}{where}"
    with closing(sqlite3.connect(location)) as connection:
        try:
            connection.execute(
                f'UPDATE "{table}" SET "{column}" = {value} WHERE rowid IN ({inner})'
            )
            connection.commit()
        except (sqlite3.IntegrityError, sqlite3.OperationalError):
            return False
    return True


@pytest.mark.parametrize("seed", seeds(by_day=2, by_night=6))
def test_a_failing_disk(file_location, tmp_path, seed):
    """Bytes that came back wrong, anywhere in the file."""
    chance = random.Random(seed)
    found = set()
    for _ in range(25):
        spoilt = bytearray(whole())
        for _ in range(chance.choice([1, 3, 30])):
            start = chance.randrange(len(spoilt))
            some = chance.randbytes(chance.choice([1, 2, 16, 600]))
            spoilt[start : start + len(some)] = some
        file_location.write_bytes(spoilt)
        for beside in file_location.parent.glob("night.speco3-*"):
            beside.unlink()
        try:
            use(file_location)
            found.add("used")
        except SessionError:
            found.add("refused")
    assert found == {"used", "refused"}
