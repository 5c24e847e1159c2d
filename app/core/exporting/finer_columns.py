"""The columns of sub-classes and of the session's own fields, and their cells."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, literal_column, select

from app.core.database.tables import SUBCLASSED, facts, judgements
from app.core.exporting.column import Column, Kind
from app.core.session.finer_values import most_specific
from app.core.session.own_fields import FACT, FieldKind, OwnField, fields_from

KINDS: dict[FieldKind, tuple[Kind, str]] = {
    "choice": ("text", "meta.code"),
    "number": ("real", "stat.value"),
    "tick": ("flag", "meta.code"),
    "text": ("text", "meta.note"),
}
"""Kind and UCD of the column of a field."""
SUBCLASS = (
    Column(
        name="subclass",
        kind="text",
        ucd="meta.code.class",
        description="Sub-class of an accepted object, the most specific that was given",
    ),
    Column(
        name="subclass_path",
        kind="text",
        ucd="meta.code.class",
        description="The same with the wider classes before it, separated by /",
    ),
)


@dataclass(frozen=True, kw_only=True)
class FinerColumns:
    """Sub-class columns where anybody gave one, and a column for each field of the session."""

    has_subclasses: bool = False
    fields: tuple[OwnField, ...] = ()
    columns: tuple[Column, ...] = ()


def finer_columns(connection: Connection, used: set[str]) -> FinerColumns:
    """The columns; their names are added to `used`."""
    query = select(judgements.c.log_id).where(literal_column(f"({SUBCLASSED})")).limit(1)
    has_subclasses = connection.execute(query).first() is not None
    text = connection.execute(select(facts.c.value).where(facts.c.key == FACT)).scalar()
    fields = fields_from(str(text or ""))
    columns = list(SUBCLASS) if has_subclasses else []
    used.update(each.name for each in columns)
    for field in fields:
        name = field.name
        while name.casefold() in used:
            name = f"field_{name}"
        used.add(name.casefold())
        kind, ucd = KINDS[field.kind]
        about = f"{field.shown}, filled in by the reviewer"
        if field.choices:
            about += f": {', '.join(field.choices)}"
        columns.append(Column(name=name, kind=kind, ucd=ucd, unit=field.unit, description=about))
    return FinerColumns(has_subclasses=has_subclasses, fields=fields, columns=tuple(columns))


def finer_cells(
    layout: FinerColumns, subclasses: Sequence[str | None], texts: Sequence[str | None]
) -> list[Sequence[Any]]:
    """The cells of sub-classes and of values as the tables keep them; None: no opinion."""
    cells: list[Sequence[Any]] = []
    if layout.has_subclasses:
        cells.append([most_specific(each) or None if each else None for each in subclasses])
        cells.append([each or None for each in subclasses])
    if layout.fields:
        found = [_values(text) for text in texts]
        cells += [[_cell(field, values) for values in found] for field in layout.fields]
    return cells


def _values(text: str | None) -> dict[str, Any] | None:
    if not text:
        return None if text is None else {}
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _cell(field: OwnField, values: dict[str, Any] | None) -> Any:
    """A value of another kind than the field has now is left out."""
    if values is None:
        return None
    value = values.get(field.name)
    if field.kind == "tick":
        return value is True
    if field.kind == "number":
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return value if is_number else None
    return value if isinstance(value, str) else None
