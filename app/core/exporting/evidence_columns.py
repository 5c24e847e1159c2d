"""Columns with what services said: values of the nearest match, and where they are from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, select

from agent.tasks.task import Task
from app.core.database.tables import candidates, evidence
from app.core.evidence.weighing import answers_about, weigh
from app.core.exporting.table import Column, Kind
from app.core.queue.evidence_values import read_values
from app.core.session.evidence_services import SEPARATION, session_services
from app.services.catalogues.service import Service

COMBINED = (
    Column(
        name="p_combined", kind="real", ucd="stat.probability",
        description="agent_p_yes moved by catalogue_log_odds; not calibrated",
    ),
    Column(
        name="catalogue_log_odds", kind="real", ucd="stat.likelihood",
        description="Weight of catalogues for the class, natural log-odds of a prior judgement; "
        "empty: nothing could be weighed",
    ),
    Column(
        name="catalogue_claims", kind="text", ucd="meta.note",
        description="Each claim of the task with its weight, or why it has none, separated by ;",
    ),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class AskedService:
    """A service with answers in the session, and its columns."""

    service: Service
    names: tuple[str, ...]
    """As `bp_rp`, in the order of the first columns; state and time of the question follow."""
    columns: tuple[Column, ...]


def asked_services(connection: Connection, used: set[str]) -> tuple[AskedService, ...]:
    """The services with answers; their columns get names that are not `used`."""
    return tuple(
        _asked(connection, service, used) for service in session_services(connection).values()
    )


def evidence_cells(
    connection: Connection, ids: Sequence[int], services: Sequence[AskedService]
) -> list[Sequence[Any]]:
    """The columns of the services for these candidates."""
    if not services:
        return []
    table = evidence.c
    query = select(table.candidate_id, table.service, table.state, table.asked_at, table.release)
    query = query.where(table.candidate_id.in_(list(ids)), table.is_newest)
    asked = {(row.candidate_id, row.service): row for row in connection.execute(query)}
    values = read_values(connection, ids)
    cells: list[Sequence[Any]] = []
    for each in services:
        name = each.service.id
        for column in each.names:
            key = f"{name}.{column}"
            cells.append([values.get(number, {}).get(key) for number in ids])
        for column in ("state", "asked_at", "release"):
            rows = (asked.get((number, name)) for number in ids)
            cells.append([None if row is None else getattr(row, column) or None for row in rows])
    return cells


def _asked(connection: Connection, service: Service, used: set[str]) -> AskedService:
    releases = select(evidence.c.release).distinct().order_by(evidence.c.release)
    of_service = releases.where(evidence.c.service == service.id, evidence.c.is_newest)
    found = tuple(str(each) for each in connection.execute(of_service).scalars() if each)
    source = " ".join((service.name, "/".join(found))).strip()
    names: list[str] = []
    columns: list[Column] = []
    for each in service.columns:
        words = f"{each.description or each.column} ({source})"
        # Numbers of objects and counts stay whole.
        is_whole = each.ucd.startswith(("meta.id", "meta.number", "meta.record"))
        kind: Kind | None = "text" if each.is_text else None if is_whole else "real"
        names.append(each.name)
        columns.append(
            Column(
                name=f"{service.id}_{each.name}", kind=kind, unit=each.unit, ucd=each.ucd,
                description=words,
            )
        )  # fmt: skip
        if each.error:
            names.append(f"{each.name}_error")
            columns.append(
                Column(
                    name=f"{service.id}_{each.name}_error", kind="real", unit=each.unit,
                    ucd=f"stat.error;{each.ucd.split(';')[0]}" if each.ucd else "stat.error",
                    description=f"Uncertainty of {words}",
                )
            )  # fmt: skip
    names.append(SEPARATION)
    columns += [
        Column(
            name=f"{service.id}_separation_arcsec", kind="real", unit="arcsec",
            ucd="pos.angDistance", description=f"Distance of the nearest match ({source})",
        ),
        Column(
            name=f"{service.id}_state", kind="text", ucd="meta.code.status",
            description=f"found, nothing or failed; empty: not asked ({source})",
        ),
        Column(
            name=f"{service.id}_asked_at", kind="text", ucd="time.epoch",
            description=f"When it was asked, UTC, ISO 8601 ({source})",
        ),
        Column(
            name=f"{service.id}_release", kind="text", ucd="meta.version",
            description=f"Release of {service.name} that was asked",
        ),
    ]  # fmt: skip
    return AskedService(service=service, names=tuple(names), columns=free_columns(columns, used))


def free_columns(columns: Sequence[Column], used: set[str]) -> tuple[Column, ...]:
    """The columns under names that are not used yet."""
    made = []
    for each in columns:
        name, number = each.name, 1
        while name.casefold() in used:
            number += 1
            name = f"{each.name}_{number}"
        used.add(name.casefold())
        made.append(replace(each, name=name))
    return tuple(made)


# Columns with what catalogues weigh by the claims of the task, and the p(YES) with it.
@dataclass(frozen=True, kw_only=True)
class WeighedTask:
    """A task whose claims about catalogues have answers in the session, and its columns."""

    task: Task
    columns: tuple[Column, ...]


def weighed_task(connection: Connection, task: Task | None, used: set[str]) -> WeighedTask | None:
    """None where no service was asked that a claim needs; names of columns are not `used`."""
    services = {name for claim in task.catalogue for name in claim.services} if task else set()
    query = select(evidence.c.candidate_id).where(evidence.c.service.in_(services)).limit(1)
    if task is None or not services or connection.execute(query).first() is None:
        return None
    return WeighedTask(task=task, columns=free_columns(COMBINED, used))


def combined_cells(
    connection: Connection, weighed: WeighedTask | None, ids: Sequence[int]
) -> list[Sequence[Any]]:
    """The columns for these candidates."""
    if weighed is None:
        return []
    task = weighed.task
    columns = candidates.c.id, candidates.c.p_combined, candidates.c.catalogue_log_odds
    query = select(*columns).where(candidates.c.id.in_(list(ids)))
    rows = {row.id: row for row in connection.execute(query)}
    answers = answers_about(connection, task, ids)
    claims = (weigh(task, answers.get(number, {})).claims for number in ids)
    return [
        [rows[number].p_combined for number in ids],
        [rows[number].catalogue_log_odds for number in ids],
        ["; ".join(each.short for each in of_one) for of_one in claims],
    ]
