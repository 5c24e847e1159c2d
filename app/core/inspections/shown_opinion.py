"""Chooses the agent's opinion that the queue shows for each candidate, and how surprising it is.

It is the newest opinion of a model or, if the session shows a certain model, that model's. What an
assistant proposes has a column of its own.
"""

import json
import math
from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, case, select, update

from agent.errors import TrajectoryError
from agent.inspection.built_in import INSPECTORS, opposed_members
from agent.tasks.task import Task
from agent.trajectory.p_yes import combined_p, p_from_votes
from agent.trajectory.trajectory import ModelRef
from agent.trajectory.trajectory_file import from_line
from app.core.database.database import read_fact, write_facts
from app.core.database.paging import pages
from app.core.database.tables import candidates, inspections
from app.core.errors import SessionError
from app.core.session.proposals import by_assistant, is_assistant
from app.core.session.records import Change
from app.core.session.session import Session

SHOWN = "shown_model"
"""The fact that names the shown model; without it, the newest opinion is shown."""
MAX_NAME = 200
AT_ONCE = 1000

NO_LABEL = frozenset({"", "unknown", "none", "nan", "null", "candidate", "unclassified"})
YES_LABELS = frozenset({"yes", "true", "1", "positive", "y", "t"})

NEWEST_FIRST = (inspections.c.at.desc(), inspections.c.model, inspections.c.model_sha256)
"""Not by id, so that sessions with the same inspections show the same one."""

SAID = ("model", "verdict", "p_yes", "stopped_by")
PANELS = [each.name for each in INSPECTORS if each.quotes]
QUOTING = case((inspections.c.model.in_(PANELS), inspections.c.record)).label("quoting")
"""The record of a panel, which says what its members said; NULL for all other models."""
LISTED = (candidates.c.label, candidates.c.score, candidates.c.catalogue_log_odds)

InspectionRow = Any
Columns = dict[str, Any]

NO_OPINION: Mapping[str, Any] = {
    "agent_verdict": None,
    "agent_p_yes": None,
    "agent_model": "",
    "agent_stopped_by": "",
    "surprise": None,
    "p_combined": None,
    "agent_members": "",
}


def shown_model(session: Session) -> ModelRef | None:
    """The model whose opinions are shown; None for the newest of each candidate."""
    with session.database.reading() as connection:
        return _read_shown_model(connection)


def show_model(session: Session, model: ModelRef | None) -> None:
    """Show the opinions of this model only; None for the newest of each candidate."""
    value = "" if model is None else json.dumps([checked_model(model).name, model.sha256])
    with session.database.writing() as connection:
        write_facts(connection, {SHOWN: value})
        _update_all_candidates(connection, model, session.task)
    session.set_fact(SHOWN, value)  # the session keeps its facts in memory
    session.changed.emit(Change(aspect="inspection"))


def surprise(
    task: Task, label: str, score: float | None, verdict: str | None, p_yes: float | None
) -> float | None:
    """Distance of the agent's p(YES) from the list's opinion, 0 to 1; None if either is missing.

    The list's label counts first; a label of another class is a NO. A score from 0 to 1 is taken as
    a probability, any other score as log-odds.
    """
    if p_yes is None and verdict is not None:
        p_yes = p_from_votes(int(verdict == "YES"), 1)
    word = label.strip().rstrip("*?:").strip().casefold()
    if word not in NO_LABEL:
        expected = float(word in {*YES_LABELS, task.id.casefold(), task.name.casefold()})
    elif score is None or math.isnan(score):
        return None
    else:
        expected = score if 0.0 <= score <= 1.0 else 1.0 / (1.0 + math.exp(min(-score, 700.0)))
    return None if p_yes is None else abs(p_yes - expected)


def lock_opinions(connection: Connection, candidate_ids: Collection[int]) -> None:
    """Let nobody else change the inspections of these candidates until this transaction ends.

    A file has one writer anyway; on a server two programs may inspect the same candidate.
    """
    here = candidates.c.id.in_(candidate_ids)
    query = select(candidates.c.id).where(here).order_by(candidates.c.id)
    # Not FOR UPDATE: a verdict, which only refers to the candidate, would wait for it.
    connection.execute(query.with_for_update(key_share=True)).all()


def update_agent_columns(connection: Connection, candidate_id: int, task: Task) -> None:
    columns = (inspections.c[name] for name in ("model_sha256", *SAID))
    query = select(*columns, QUOTING).where(inspections.c.candidate_id == candidate_id)
    rows = connection.execute(query.order_by(*NEWEST_FIRST)).all()
    shown = _read_shown_model(connection)
    wanted = (
        row
        for row in rows
        if (
            not is_assistant(row.model)
            if shown is None
            else (row.model, row.model_sha256) == (shown.name, shown.sha256)
        )
    )
    listed = select(*LISTED).where(candidates.c.id == candidate_id)
    values = _agent_columns(next(wanted, None), task, *connection.execute(listed).one())
    by_models = {row.verdict for row in rows if not is_assistant(row.model)}
    values["agents_differ"] = by_models >= {"YES", "NO"}
    connection.execute(update(candidates).where(candidates.c.id == candidate_id).values(values))


def _agent_columns(
    row: InspectionRow | None, task: Task, label: object, score: object, log_odds: object
) -> Columns:
    if row is None:
        return dict(NO_OPINION)
    # An untrusted session may contain text in place of numbers, and vice versa.
    label_text, p_yes = label if isinstance(label, str) else "", _number(row.p_yes)
    return {
        "agent_verdict": row.verdict,
        "agent_p_yes": p_yes,
        "agent_model": row.model,
        "agent_stopped_by": row.stopped_by,
        "surprise": surprise(task, label_text, _number(score), row.verdict, p_yes),
        "p_combined": combined_p(p_yes, _number(log_odds)) if task.catalogue else None,
        "agent_members": "" if row.quoting is None else _members(row.quoting),
    }


def _members(record: object) -> str:
    """What its members said if they contradict each other; nothing of a damaged record."""
    try:
        return opposed_members(from_line(str(record)))
    except TrajectoryError:
        return ""


def _number(value: object) -> float | None:
    return value if isinstance(value, float | int) else None


def _update_all_candidates(connection: Connection, model: ModelRef | None, task: Task) -> None:
    """Update all agent columns page by page, so that they never are all in memory."""
    has_opinion = candidates.c.agent_stopped_by != ""
    connection.execute(update(candidates).where(has_opinion).values(NO_OPINION))
    each = update(candidates).where(candidates.c.id == bindparam("number"))
    each = each.values({name: bindparam(f"new_{name}") for name in NO_OPINION})
    columns = inspections.c
    query = select(columns.candidate_id, *(columns[name] for name in SAID), QUOTING, *LISTED)
    query = query.join(candidates, candidates.c.id == columns.candidate_id)
    if model is not None:
        query = query.where(made_by(model))
    else:
        newer = inspections.alias("newer")
        newest = select(newer.c.id).where(newer.c.candidate_id == columns.candidate_id)
        newest = newest.where(~by_assistant(newer.c.model))
        newest = newest.order_by(newer.c.at.desc(), newer.c.model, newer.c.model_sha256).limit(1)
        query = query.where(columns.id == newest.scalar_subquery())
    for rows in pages(connection, query, columns.candidate_id, at_once=AT_ONCE):
        new = []
        for row in rows:
            values = _agent_columns(row, task, row.label, row.score, row.catalogue_log_odds)
            named = {f"new_{name}": value for name, value in values.items()}
            new.append({"number": row.candidate_id, **named})
        connection.execute(each, new)


def _read_shown_model(connection: Connection) -> ModelRef | None:
    value = read_fact(connection, SHOWN)
    if not value:
        return None
    try:
        name, sha256 = json.loads(value)
    except (ValueError, TypeError, RecursionError) as error:
        raise SessionError(f"the session's {SHOWN} is damaged. Choose a model again") from error
    return ModelRef(name=str(name), sha256=str(sha256))


def made_by(model: ModelRef) -> ColumnElement[bool]:
    return (inspections.c.model == model.name) & (inspections.c.model_sha256 == model.sha256)


def checked_model(model: ModelRef) -> ModelRef:
    for word in (model.name, model.sha256 or "-"):
        if not (0 < len(word) <= MAX_NAME and word.isprintable()):
            raise SessionError(f"a model name has 1 to {MAX_NAME} printable characters")
    return model
