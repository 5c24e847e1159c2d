"""Keeps with each candidate what its catalogue evidence weighs, and the p(YES) with it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, bindparam, select, update

from agent.tasks.task import Task
from agent.trajectory.p_yes import combined_p
from app.core.database.tables import candidates, evidence
from app.core.evidence.matches import matches_from
from app.core.evidence.weighing import weigh
from app.core.session.session import MAX_IDS
from app.core.session.stored_opinions import damaged
from app.services.catalogues.answer import Answer, State

STORED = (State.FOUND, State.NOTHING, State.FAILED)


def is_weighed(task: Task, service: str) -> bool:
    """Whether a claim of the task needs this service."""
    return any(service in claim.services for claim in task.catalogue)


def update_combined(connection: Connection, task: Task, ids: Collection[int]) -> None:
    """Weigh the newest answers about these candidates anew."""
    wanted = sorted(ids) if task.catalogue else []
    for start in range(0, len(wanted), MAX_IDS):
        _update_page(connection, task, wanted[start : start + MAX_IDS])


def answers_about(
    connection: Connection, task: Task, ids: Sequence[int]
) -> dict[int, dict[str, Answer]]:
    """The newest answers of the services that the task's claims need."""
    services = {name for claim in task.catalogue for name in claim.services}
    columns = evidence.c
    query = select(
        columns.candidate_id, columns.service, columns.state, columns.matches, columns.reason
    ).where(columns.candidate_id.in_(list(ids)), columns.service.in_(services), columns.is_newest)
    found: dict[int, dict[str, Answer]] = {}
    for row in connection.execute(query):
        if row.state not in STORED:
            raise damaged(f"the evidence about candidate {row.candidate_id}")
        answer = Answer(
            state=State(row.state), matches=matches_from(row.matches), reason=str(row.reason)
        )
        found.setdefault(row.candidate_id, {})[row.service] = answer
    return found


def _update_page(connection: Connection, task: Task, ids: Sequence[int]) -> None:
    # Nobody else may inspect them meanwhile, as on a server p(YES) would be an older one.
    query = select(candidates.c.id, candidates.c.agent_p_yes).where(candidates.c.id.in_(ids))
    query = query.order_by(candidates.c.id).with_for_update(key_share=True)
    rows = connection.execute(query).all()
    answers = answers_about(connection, task, ids)
    values = []
    for row in rows:
        log_odds = weigh(task, answers.get(row.id, {})).log_odds
        p_yes = row.agent_p_yes if isinstance(row.agent_p_yes, float | int) else None
        values.append({"number": row.id, "odds": log_odds, "combined": combined_p(p_yes, log_odds)})
    if values:
        each = update(candidates).where(candidates.c.id == bindparam("number"))
        each = each.values(catalogue_log_odds=bindparam("odds"), p_combined=bindparam("combined"))
        connection.execute(each, values)
