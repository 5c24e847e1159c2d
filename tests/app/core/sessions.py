"""Sessions for tests."""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Executable, insert, update

from agent.tasks.catalogue import find_task
from app.core.database.tables import candidates, lists
from app.core.session.records import Opinion, Verdict
from app.core.session.session import Session, new_session
from tests.processes import LONG_S

ACCEPT, REJECT, UNSURE = (Opinion(verdict=verdict) for verdict in Verdict)


def fill(session: Session, count: int) -> Session:
    """Add candidates 1 to `count`, as an import would."""
    listed = {"name": "list.csv", "path": "/lists/list.csv", "sha256": "ab", "format": "csv"}
    numbers = {"rows_read": count, "rows_used": count}
    blank = {"roles": "{}", "columns": "[]", "imported_at": "2026-01-01T00:00:00+00:00"}
    rows = [
        {
            "list_id": 1, "line": number, "object_id": f"J{number:06d}",
            "path": f"/spectra/{number}.fits", "row": 0, "label": "", "own": "{}",
        }
        for number in range(1, count + 1)
    ]  # fmt: skip
    with session.database.writing() as connection:
        connection.execute(insert(lists).values(**listed, **numbers, **blank))
        if rows:
            connection.execute(insert(candidates), rows)
    return session


def made(location: Path | str, count: int = 5, reviewer: str = "Ada") -> Session:
    return fill(new_session(location, find_task("CV"), reviewer), count)


def change_file(location: Path | str, statement: str) -> None:
    """Change a session's file past all that the program would check."""
    with closing(sqlite3.connect(location)) as connection:
        connection.execute(statement)
        connection.commit()


def change(session: Session, statement: Executable | str, rows: Any = None) -> None:
    """Change the tables of a session behind its back, by a statement that may be about rows."""
    with session.database.writing() as connection:
        if isinstance(statement, str):
            connection.exec_driver_sql(statement)
        else:
            connection.execute(statement, rows)


def change_candidates(session: Session, values: Mapping[int, Mapping[str, Any]]) -> None:
    """Set columns of candidates, by their ids."""
    with session.database.writing() as connection:
        for number, columns in values.items():
            here = candidates.c.id == number
            connection.execute(update(candidates).where(here).values(columns))


@contextmanager
def in_a_thread(
    block: Callable[[], AbstractContextManager[Connection]], query: str = "SELECT 1"
) -> Iterator[None]:
    """A block that another thread is in the middle of."""
    inside, leave = threading.Event(), threading.Event()

    def work() -> None:
        with block() as connection:
            connection.exec_driver_sql(query).all()
            inside.set()
            assert leave.wait(LONG_S)

    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(work)
        try:
            assert inside.wait(LONG_S)
            yield
        finally:
            leave.set()
        working.result(LONG_S)
