"""Columns with what catalogues weigh by the claims of the task, and the p(YES) with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from agent.tasks.task import Task
from app.core.database.tables import candidates, evidence
from app.core.evidence.combining import answers_about
from app.core.evidence.weighing import weigh
from app.core.exporting.column import Column
from app.core.exporting.evidence_columns import free_columns

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
