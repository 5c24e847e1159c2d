"""Which agent's opinion stands beside each candidate, for the queue: the newest, or that of the
model the session shows. And how far it is from what the list says."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, bindparam, func, select, update

from agent.tasks.task import Task
from agent.trajectory.p_yes import p_from_votes
from agent.trajectory.trajectory import ModelRef
from app.core.database.database import write_facts
from app.core.database.tables import candidates, facts, inspections
from app.core.errors import SessionError
from app.core.session.records import Change
from app.core.session.session import Session

SHOWN = "shown_model"
"""The fact that names the model whose opinion stands beside the candidates; absent: the newest."""
MAX_NAME = 200
AT_ONCE = 1000

NO_LABEL = frozenset({"", "unknown", "none", "nan", "null", "candidate", "unclassified"})
YES_LABELS = frozenset({"yes", "true", "1", "positive", "y", "t"})

InspectionRow = Any
Columns = dict[str, Any]

BLANK: Mapping[str, Any] = {
    "agent_verdict": None,
    "agent_p_yes": None,
    "agent_model": "",
    "agent_stopped_by": "",
    "surprise": None,
}


def shown_model(session: Session) -> ModelRef | None:
    """Whose opinion stands beside the candidates; None: the newest of each."""
    with session.database.reading() as connection:
        return _read_shown(connection)


def show_model(session: Session, model: ModelRef | None) -> None:
    """Let this model's opinion stand beside every candidate, or nothing where it gave none."""
    value = "" if model is None else json.dumps([checked_model(model).name, model.sha256])
    with session.database.writing() as connection:
        write_facts(connection, {SHOWN: value})
        _show_everywhere(connection, model, session.task)
    session.set_fact(SHOWN, value)  # the session keeps its facts in memory
    session.changed.emit(Change(aspect="inspection"))


def surprise(
    task: Task, label: str, score: float | None, verdict: str | None, p_yes: float | None
) -> float | None:
    """How far the agent is from what the list says, 0 to 1; None where one of the two is silent.

    A label tells most; one of another class is a NO. A score from 0 to 1 is taken as a probability,
    any other as its log-odds.
    """
    if p_yes is None and verdict is not None:
        p_yes = p_from_votes(int(verdict == "YES"), 1)
    expected = _expected(task, label, score)
    return None if p_yes is None or expected is None else abs(p_yes - expected)


def _expected(task: Task, label: str, score: float | None) -> float | None:
    word = label.strip().rstrip("*?:").strip().casefold()
    if word not in NO_LABEL:
        is_class = word in YES_LABELS or word in (task.id.casefold(), task.name.casefold())
        return 1.0 if is_class else 0.0
    if score is None or math.isnan(score):
        return None
    if 0.0 <= score <= 1.0:
        return score
    return 1.0 / (1.0 + math.exp(min(-score, 700.0)))


def update_agent_columns(connection: Connection, candidate_id: int, task: Task) -> None:
    """Bring the candidate's agent columns up to date."""
    columns = inspections.c
    query = (
        select(
            columns.model, columns.model_sha256, columns.verdict, columns.p_yes, columns.stopped_by
        )
        .where(columns.candidate_id == candidate_id)
        .order_by(columns.id.desc())
    )
    rows = connection.execute(query).all()
    shown = _read_shown(connection)
    wanted = (row for row in rows if shown is None or _names(row) == (shown.name, shown.sha256))
    listed = select(candidates.c.label, candidates.c.score).where(candidates.c.id == candidate_id)
    label, score = connection.execute(listed).one()
    values = _beside(next(wanted, None), task, label, score)
    values["agents_differ"] = {row.verdict for row in rows} >= {"YES", "NO"}
    connection.execute(update(candidates).where(candidates.c.id == candidate_id).values(values))


def _beside(row: InspectionRow | None, task: Task, label: object, score: object) -> Columns:
    if row is None:
        return dict(BLANK)
    # A stranger's session may hold words in place of numbers, and the other way round.
    said, p_yes = label if isinstance(label, str) else "", _number(row.p_yes)
    return {
        "agent_verdict": row.verdict,
        "agent_p_yes": p_yes,
        "agent_model": row.model,
        "agent_stopped_by": row.stopped_by,
        "surprise": surprise(task, said, _number(score), row.verdict, p_yes),
    }


def _number(value: object) -> float | None:
    return value if isinstance(value, float | int) else None


def _show_everywhere(connection: Connection, model: ModelRef | None, task: Task) -> None:
    """In one transaction, but never all candidates in memory."""
    is_wrong = candidates.c.agent_stopped_by != ""
    connection.execute(update(candidates).where(is_wrong).values(BLANK))
    query, after = _shown_of_each(model), 0
    number = inspections.c.candidate_id
    each = update(candidates).where(candidates.c.id == bindparam("number"))
    each = each.values({name: bindparam(f"new_{name}") for name in BLANK})
    while rows := connection.execute(query.where(number > after)).all():
        connection.execute(each, [_bound(row, task) for row in rows])
        after = rows[-1].candidate_id


def _bound(row: InspectionRow, task: Task) -> Columns:
    values = _beside(row, task, row.label, row.score)
    return {"number": row.candidate_id, **{f"new_{name}": value for name, value in values.items()}}


def _shown_of_each(model: ModelRef | None) -> Select[Any]:
    columns = inspections.c
    query = (
        select(
            columns.candidate_id,
            columns.model,
            columns.verdict,
            columns.p_yes,
            columns.stopped_by,
            candidates.c.label,
            candidates.c.score,
        )
        .join(candidates, candidates.c.id == columns.candidate_id)
        .order_by(columns.candidate_id)
        .limit(AT_ONCE)
    )
    if model is not None:
        return query.where(made_by(model))
    newer = inspections.alias("newer")
    newest = select(func.max(newer.c.id)).where(newer.c.candidate_id == columns.candidate_id)
    return query.where(columns.id == newest.scalar_subquery())


def _read_shown(connection: Connection) -> ModelRef | None:
    query = select(facts.c.value).where(facts.c.key == SHOWN)
    value = connection.execute(query).scalar()
    if not value:
        return None
    try:
        name, sha256 = json.loads(value)
    except (ValueError, TypeError, RecursionError) as error:
        raise SessionError(f"the session's {SHOWN} is damaged: choose a model again") from error
    return ModelRef(name=str(name), sha256=str(sha256))


def made_by(model: ModelRef) -> ColumnElement[bool]:
    return (inspections.c.model == model.name) & (inspections.c.model_sha256 == model.sha256)


def _names(row: InspectionRow) -> tuple[str, str]:
    return row.model, row.model_sha256


def checked_model(model: ModelRef) -> ModelRef:
    for word in (model.name, model.sha256 or "-"):
        if not (0 < len(word) <= MAX_NAME and word.isprintable()):
            raise SessionError(f"a model's name is 1 to {MAX_NAME} printable characters")
    return model
