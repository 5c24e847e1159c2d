"""Jumping to what one knows the name or number of."""

import pytest
from sqlalchemy import insert

from app.core.database.tables import candidates
from app.core.queue import find
from tests.app.core.sessions import made

TARGET = 39_627_322_512_345_678


@pytest.fixture
def session(location):
    with made(location, 30) as session:
        rows = [
            ("J000012", 5), ("J000012.5+01", 0), ("LAMOST J12%_", TARGET), ("17", 0),
            ("101008240", 0), ("星 1", 0), ("j lower", 0),
        ]  # fmt: skip
        with session.database.writing() as connection:
            connection.execute(insert(candidates), [row_of(*row) for row in rows])
        yield session


def row_of(name, row):
    plain = {"list_id": 1, "line": 1, "path": "/a.fits", "label": "", "own": "{}"}
    return {**plain, "object_id": name, "row": row}


FOUND = [
    ("J000012", [12, 31, 32]), ("  j000012 ", [12, 31, 32]), ("J00003", [30]), ("17", [34, 17]),
    ("101008240", [35]), (str(TARGET), [33]), ("lamost", [33]), ("LAMOST J12%", [33]),
    ("LAMOST J12_", []), ("星", [36]), ("J LOWER", [37]), ("31", [31]), ("nobody", []), ("%", []),
    ("", []), ("\0", []), ("'; DROP TABLE log; --", []), ("9" * 19, []), ("9" * 500, []), ("٣", []),
]  # fmt: skip


def test_found(session):
    for text, numbers in FOUND:
        assert [each.id for each in find(session, text)] == numbers, text


def test_not_too_many(session):
    assert [each.id for each in find(session, "J0000")] == [*range(1, 13), 31, 32, *range(13, 19)]
    assert len(find(session, "J0000", limit=3)) == 3
