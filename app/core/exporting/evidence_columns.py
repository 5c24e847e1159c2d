"""Columns with what services said: values of the nearest match, and where they are from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, select

from agent.tasks.task import Task
from app.core.database.tables import candidates, evidence
from app.core.evidence.weighing import answers_about, weigh
from app.core.exporting.table import Column, Kind, free_name
from app.core.queue.column_values import read_values
from app.core.session.evidence_services import SEPARATION
from app.services.catalogues.service import Service

COMBINED = (
    Column("p_combined", "real", "stat.probability",
           "agent_p_yes moved by catalogue_log_odds; not calibrated"),
    Column("catalogue_log_odds", "real", "stat.likelihood",
           "Weight of catalogues for the class, natural log-odds of a prior judgement; "
           "empty: nothing could be weighed"),
    Column("catalogue_claims", "text", "meta.note",
           "Each claim of the task with its weight, or why it has none, separated by ;"),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class AskedService:
    """A service with answers in the session, and its columns."""

    service: Service
    names: tuple[str, ...]
    """As `bp_rp`, in the order of the first columns; state and time of the question follow."""
    columns: tuple[Column, ...]


def evidence_cells(
    connection: Connection, ids: Sequence[int], services: Sequence[AskedService]
) -> list[Sequence[Any]]:
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


def asked_service(connection: Connection, service: Service, used: set[str]) -> AskedService:
    """The columns of a service get names that are not `used`."""
    releases = select(evidence.c.release).distinct().order_by(evidence.c.release)
    of_service = releases.where(evidence.c.service == service.id, evidence.c.is_newest)
    found = tuple(str(each) for each in connection.execute(of_service).scalars() if each)
    source = " ".join((service.name, "/".join(found))).strip()
    columns: list[Column] = []
    for each in service.columns:
        words = f"{each.description or each.column} ({source})"
        # Numbers of objects and counts stay whole.
        is_whole = each.ucd.startswith(("meta.id", "meta.number", "meta.record"))
        kind: Kind | None = "text" if each.is_text else None if is_whole else "real"
        columns.append(Column(each.name, kind, each.ucd, words, each.unit))
        if each.error:
            ucd = f"stat.error;{each.ucd.split(';')[0]}" if each.ucd else "stat.error"
            name, about = f"{each.name}_error", f"Uncertainty of {words}"
            columns.append(Column(name, "real", ucd, about, each.unit))
    names = (*(each.name for each in columns), SEPARATION)
    about = f"Distance of the nearest match ({source})"
    columns.append(Column("separation_arcsec", "real", "pos.angDistance", about, "arcsec"))
    about = f"found, nothing or failed; empty: not asked ({source})"
    columns.append(Column("state", "text", "meta.code.status", about))
    about = f"When it was asked, UTC, ISO 8601 ({source})"
    columns.append(Column("asked_at", "text", "time.epoch", about))
    about = f"Release of {service.name} that was asked"
    columns.append(Column("release", "text", "meta.version", about))
    named = [replace(each, name=f"{service.id}_{each.name}") for each in columns]
    return AskedService(service=service, names=names, columns=free_columns(named, used))


def free_columns(columns: Sequence[Column], used: set[str]) -> tuple[Column, ...]:
    return tuple(replace(each, name=free_name(each.name, used)) for each in columns)


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
