"""The columns of a catalogue: the fixed ones first, then those carried over from the lists."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, select

from agent.checked_toml import printable
from agent.tasks.task import Task
from app.core.database.tables import candidates, lists
from app.core.errors import SessionError
from app.core.exporting import evidence_columns, further_columns
from app.core.exporting.further_columns import FurtherOpinionColumns
from app.core.exporting.table import Column, Kind, free_name
from app.core.queue.column_values import gives_class_away
from app.core.session.evidence_services import session_services, words_of

_KINDS: dict[str, Kind] = {"str": "text", "int": "whole", "float": "real", "bool": "flag"}
"""By the type stored for a column of a list."""

MAX_COLUMNS = 5000
MAX_WORDS = 500
CLASH_SUFFIX = "_list"  # appended to the name of a list column that clashes with a fixed one


@dataclass(frozen=True)
class CarriedColumn:
    """A column carried over from lists; `names` maps list ids to its name there."""

    column: Column
    names: Mapping[int, str]


OBJECT = (
    Column("object_id", "text", "meta.id;meta.main", "Identifier in the survey or list"),
    Column("ra", "real", "pos.eq.ra;meta.main", "Right ascension", "deg"),
    Column("dec", "real", "pos.eq.dec;meta.main", "Declination", "deg"),
    Column("path", "text", "meta.ref", "File of the spectrum, as the list gives it"),
    Column("path_folder", "text", "meta.ref", "Folder from which a relative path counts"),
    Column("row", "whole", "meta.record", "Row in that file, or TARGETID"),
)
OPINION = (
    Column("verdict", "text", "meta.code.class", "ACCEPT, REJECT or UNSURE; empty: none given"),
    Column("confidence", "whole", "meta.code.qual", "4 sure to 1 poor, 0 none"),
    Column("flags", "text", "meta.code", "Flags set by the reviewer, separated by ;"),
    Column("comment", "text", "meta.note", "Comment of the reviewer"),
    Column("reviewer", "text", "meta.curation", "Who gave the verdict; several separated by ;"),
    Column("decided_at", "text", "time.epoch", "When the verdict was given, UTC, ISO 8601"),
    Column("seconds_spent", "real", "time.duration", "Time the reviewer spent on the object", "s"),
)
AGENT = (
    Column("agent_verdict", "text", "meta.code.class", "YES or NO, by the agent"),
    Column("agent_p_yes", "real", "stat.probability", "The agent's probability of YES"),
    Column("agent_model", "text", "meta.id", "Model behind the agent"),
    Column("agent_stopped_by", "text", "meta.code.status", "Why the inspection ended"),
    Column(
        "agent_members",
        "text",
        "meta.code.class",
        "What the members of a panel said, where they contradict each other",
    ),
)
SEEN = Column(
    "agent_seen_before", "flag", "meta.code", "The reviewer had seen the agent's opinion before"
)
CONTRACT = (*OBJECT, *OPINION, *AGENT, SEEN)

SCORE = Column("score", "real", "stat.value", "Score in the list")
LABEL = Column("label", "text", "meta.code.class", "Label in the list")
SNR = Column("snr", "real", "stat.snr", "Signal to noise")
ROLES = (SCORE, LABEL, SNR)  # Optional columns; written only if a list has values for them.


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The written columns: CONTRACT, `further` ones of opinions, `roles` (by field of the
    candidate), those of models, of measured lines and of services, what these weigh, `own` (from
    lists).
    """

    further: FurtherOpinionColumns = field(default_factory=FurtherOpinionColumns)
    roles: Mapping[str, Column] = field(default_factory=dict)
    models: tuple[further_columns.InspectedModel, ...] = ()
    lines: tuple[further_columns.MeasuredLine, ...] = ()
    services: tuple[evidence_columns.AskedService, ...] = ()
    weighed: evidence_columns.WeighedTask | None = None
    own: tuple[CarriedColumn, ...] = ()

    def __post_init__(self) -> None:
        if len(self.columns) > MAX_COLUMNS:
            raise SessionError(
                f"the lists have more than {MAX_COLUMNS} columns, too many to export"
            )

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(column for group, _ in self._groups() for column in group)

    @property
    def giving_class_away(self) -> frozenset[int]:
        """Indices of the columns that blind mode hides."""
        hidden = (is_hidden for group, is_hidden in self._groups() for _ in group)
        return frozenset(index for index, is_hidden in enumerate(hidden) if is_hidden)

    def _groups(self) -> Iterator[tuple[Sequence[Column], bool]]:
        """The columns in their order, and whether blind mode hides them."""
        yield (*OBJECT, *OPINION), False
        yield AGENT, True
        yield (SEEN, *self.further.columns), False
        yield from (((column,), name == LABEL.name) for name, column in self.roles.items())
        yield from ((each.columns, True) for each in self.models)
        yield from ((each.columns, False) for each in self.lines)
        yield from ((each.columns, each.service.hides_class) for each in self.services)
        if self.weighed is not None:
            yield self.weighed.columns, True
        yield from (((own.column,), gives_class_away(own.column.name)) for own in self.own)

    @property
    def renamed(self) -> dict[str, str]:
        """New names of renamed list columns, by their name in the list."""
        every = (*self.roles.values(), *(each.column for each in self.own))
        return {each.given_name: each.name for each in every if each.given_name}

    def with_keys(self, list_id: int, names: Iterable[str]) -> Layout:
        """The layout with additional columns that the list did not declare."""
        used_names = {each.name.casefold() for each in self.columns}
        more = [
            CarriedColumn(_with_free_name(name, Column(name), used_names), {list_id: name})
            for name in sorted(names)
        ]
        return replace(self, own=(*self.own, *more))

    def known(self, list_id: int) -> set[str]:
        """The columns of a list that are included in `own`."""
        return {each.names[list_id] for each in self.own if list_id in each.names}


def read_layout(connection: Connection, task: Task | None = None) -> Layout:
    """The layout for all lists of the session; `task` says what catalogues weigh."""
    declared = [
        (row.id, _declared_roles(row.roles), list(_declared_columns(row.columns)))
        for row in connection.execute(select(lists).order_by(lists.c.id))
    ]
    merged: dict[tuple[str, str], tuple[Column, dict[int, str]]] = {}
    for list_id, used, entries in declared:
        for entry in entries:
            if entry.name not in used.values():
                # The same name with a different unit is a different quantity.
                _, names = merged.setdefault((entry.name, entry.unit), (entry, {}))
                names[list_id] = entry.name
    used_names = {each.name.casefold() for each in CONTRACT}
    # In the order of the columns: the first of two with the same name keeps it.
    return Layout(
        further=further_columns.further_opinion_columns(connection, used_names),
        roles={
            role.name: _with_free_name(*_role_column(role, declared), used_names)
            for role in ROLES
            if _has_values(connection, role.name)
        },
        models=further_columns.inspected_models(connection, used_names),
        lines=further_columns.measured_lines(connection, used_names),
        services=tuple(
            evidence_columns.asked_service(connection, each, used_names)
            for each in session_services(connection).values()
        ),
        weighed=evidence_columns.weighed_task(connection, task, used_names),
        own=tuple(
            CarriedColumn(_with_free_name(entry.name, entry, used_names), names)
            for entry, names in merged.values()
        ),
    )


def _has_values(connection: Connection, name: str) -> bool:
    column = candidates.c[name]
    has_value = column != "" if name == "label" else column.is_not(None)
    return connection.execute(select(candidates.c.id).where(has_value).limit(1)).first() is not None


def _role_column(
    role: Column, declared: Sequence[tuple[int, Mapping[str, str], list[Column]]]
) -> tuple[str, Column]:
    """The column under the name that all lists use, if they agree, with their description."""
    names = {used[role.name] for _, used, _ in declared if role.name in used}
    if len(names) != 1:
        return role.name, role
    (name,) = names
    listed = next((e for _, _, entries in declared for e in entries if e.name == name), role)
    return name, replace(
        role,
        unit=listed.unit or role.unit,
        ucd=listed.ucd or role.ucd,
        description=listed.description or role.description,
    )


def _with_free_name(wanted: str, column: Column, used_names: set[str]) -> Column:
    """The column under an unused name; names differing only in case clash, as in FITS."""
    name = printable(wanted.strip(), MAX_WORDS) or "column"
    if name.casefold() in used_names:
        name += CLASH_SUFFIX
    name = free_name(name, used_names)
    return replace(column, name=name, given_name="" if name == wanted else wanted)


def _declared_roles(text: Any) -> dict[str, str]:
    found = _json(text)
    if not isinstance(found, dict):
        return {}
    return {key: value for key, value in found.items() if isinstance(value, str)}


def _declared_columns(text: Any) -> Iterator[Column]:
    found = _json(text)
    for entry in found if isinstance(found, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            yield Column(
                name=entry["name"],
                kind=_KINDS.get(str(entry.get("type"))),
                **{key: words_of(entry, key, MAX_WORDS) for key in ("unit", "ucd", "description")},
            )


def _json(text: Any) -> object:
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise SessionError(
            "the session is damaged: the columns of its lists are not valid JSON"
        ) from error
