"""Which column of a list says what, by the number of the list."""

from __future__ import annotations

import json
from collections.abc import Mapping

from sqlalchemy import select

from app.core.database.tables import lists
from app.core.session.session import Session


def list_roles(session: Session) -> Mapping[int, Mapping[str, str]]:
    """Role to column; what makes no sense, in a stranger's session, is left out."""
    with session.database.reading() as connection:
        rows = connection.execute(select(lists.c.id, lists.c.roles)).all()
    return {row.id: _roles(row.roles) for row in rows}


def _roles(text: object) -> dict[str, str]:
    try:
        roles = json.loads(str(text))
    except (ValueError, RecursionError):
        return {}
    pairs = roles.items() if isinstance(roles, dict) else ()
    return {role: column for role, column in pairs if isinstance(column, str)}
