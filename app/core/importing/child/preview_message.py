"""A preview as the list reader process sends it to its parent."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from app.core.importing.formats.contents import ListColumn, ListFile, Refused, Value
from app.core.importing.outside_paths import OutsidePaths
from app.core.importing.reports import Preview
from app.core.importing.roles import Role, Roles
from app.core.importing.survey_names import find_scheme

SHOWN_ROWS = 20
MAX_SHOWN_TEXT = 300
"""Characters of a cell: a preview of many long cells would take much memory."""


def preview_message(
    file: ListFile,
    rows: list[tuple[Value, ...]],
    roles: Roles | None = None,
    **more: Any,
) -> dict[str, Any]:
    """The start of the list `file`; `more` are other fields of a Preview."""
    known = {} if roles is None else roles.by_role
    return {
        "type": "opened",
        "roles": [[each.role, each.number, each.reason] for each in known.values()],
        "is_named": roles is not None and roles.naming is not None,
        "columns": [asdict(column) for column in file.columns],
        "rows": [[_shown(value) for value in row] for row in rows[:SHOWN_ROWS]],
        "fields": {"format": file.format, "estimate": file.estimate, **more},
    }


def preview_of(message: dict[str, Any]) -> Preview:
    columns = tuple(ListColumn(**each) for each in message["columns"])
    names = [column.name for column in columns]
    fields = message["fields"]
    fields["refused"] = tuple(Refused(*each) for each in fields.get("refused", ()))
    fields["warnings"] = tuple(fields.get("warnings", ()))
    fields["outside"] = outside_of(fields.get("outside", {}))
    return Preview(
        columns=columns,
        rows=tuple(map(tuple, message["rows"])),
        roles=Roles(
            {
                role: Role(role, number, names[number], reason)
                for role, number, reason in message["roles"]
            },
            find_scheme(names) if message["is_named"] else None,
        ),
        **fields,
    )


def outside_of(fields: dict[str, Any]) -> OutsidePaths:
    return OutsidePaths(**{**fields, "folders": tuple(fields.get("folders", ()))})


def _shown(value: Value) -> Value:
    return value[:MAX_SHOWN_TEXT] if isinstance(value, str) else value
