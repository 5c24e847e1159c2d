"""The lists of a session, to be imported again into a session for another class."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import select

from app.core.database.tables import lists
from app.core.session.session import Session, list_roles
from app.ui.importing.role_boxes import ROLE_TEXTS

WITHOUT_COLUMNS = ("folder", "spectrum")


def lists_of(session: Session) -> dict[Path, Mapping[str, str]]:
    """The place of each list, with the column of every role; none for spectra without a list."""
    roles = list_roles(session)
    with session.database.reading() as connection:
        rows = connection.execute(select(lists.c.id, lists.c.path, lists.c.format)).all()
    found: dict[Path, Mapping[str, str]] = {}
    for row in rows:
        own = roles[row.id]
        has_columns = row.format not in WITHOUT_COLUMNS
        found[Path(row.path)] = {role: own.get(role, "") for role in ROLE_TEXTS if has_columns}
    return found
