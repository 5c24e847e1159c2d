"""Sessions for tests."""

from pathlib import Path

from sqlalchemy import insert

from agent.tasks.catalogue import find_task
from app.core.database.tables import candidates, lists
from app.core.session.session import Session, new_session


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
