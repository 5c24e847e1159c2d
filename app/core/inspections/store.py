"""Stores the agents' trajectories, one for each candidate and model.

A model is identified by name and hash; a new inspection by the same model replaces its old one.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from statistics import fmean
from typing import Any, Self

import numpy as np
from sqlalchemy import ColumnElement, Connection, and_, func, select, update

from agent.errors import TrajectoryError
from agent.trajectory.trajectory import ModelRef, Trajectory
from agent.trajectory.trajectory_file import from_line, to_line
from app.core.database.database import insert_or_update
from app.core.database.paging import pages
from app.core.database.tables import candidates, inspections
from app.core.errors import SessionError
from app.core.inspections import shown_opinion
from app.core.queue import Filter, combine, matching
from app.core.queue.column_values import context_of
from app.core.queue.filters import Has, InspectedBy, Not
from app.core.queue.own_columns import matching_ids
from app.core.queue.sql_conditions import condition
from app.core.session.known_answers import not_known
from app.core.session.records import Aspect, Candidate, Change
from app.core.session.session import Session
from app.core.session.stored_opinions import damaged, have_type
from app.core.session.verdict_log import now

MAX_REASON = 500
ONE_EACH = ("candidate_id", "model", "model_sha256")  # a candidate has one inspection by each model
PAGE = 50  # trajectories read at once; each can be long
MOST_SHARES = 10_000
SAMPLES = 100  # records that are read for a measured rate
ROW_BYTES = 500.0  # What an inspection takes beside its record: hashes, times and three indexes.
RECORD_BYTES = 1500.0 + ROW_BYTES
"""Of one inspection, where none is stored yet: one by the measured inspector."""

InspectionRow = Any


@dataclass(frozen=True, kw_only=True)
class StoredInspection:
    id: int
    candidate_id: int
    at: str  # UTC, ISO 8601
    trajectory: Trajectory


@dataclass(frozen=True, kw_only=True)
class Confusion:
    """How often two models gave each pair of verdicts on the candidates both inspected.

    A verdict of None means that the model reached none.
    """

    first: ModelRef
    second: ModelRef
    counts: Mapping[tuple[str | None, str | None], int]

    @property
    def n(self) -> int:
        return sum(self.counts.values())

    @property
    def agreeing(self) -> int:
        """The number of candidates with the same verdict from both."""
        return sum(n for (one, other), n in self.counts.items() if one == other is not None)

    @property
    def opposed(self) -> int:
        """The number with YES from one and NO from the other; `disagree:agents` shows them."""
        return self.counts.get(("YES", "NO"), 0) + self.counts.get(("NO", "YES"), 0)


@dataclass(frozen=True)
class Share:
    """Every `of`-th candidate, from the `number`-th on, in the order of their import.

    So several machines can divide the work. Copies of one session agree about it, whatever was
    judged or merged in them meanwhile.
    """

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read "2/4"; raises SessionError."""
        found = re.fullmatch(r"(\d{1,5})/(\d{1,5})", text.strip(), re.ASCII)
        number, of = (int(part) for part in found.groups()) if found else (0, 0)
        if not 1 <= number <= of <= MOST_SHARES:
            raise SessionError(f"{text[:40]!r} is no share: write 2/4 for the second of four")
        return cls(number, of)

    @property
    def condition(self) -> ColumnElement[bool]:
        """What is true of its candidates."""
        return candidates.c.id % self.of == self.number - 1


def add_inspection(session: Session, candidate_id: int, trajectory: Trajectory) -> StoredInspection:
    """Store a trajectory, replacing the same model's earlier one; a panel's members first.

    They are records of their own, so that what compares models compares the members, too.
    """
    alone = replace(trajectory, members=())
    # A little earlier, as the newest opinion is the one shown.
    rows = [_row(candidate_id, each, now(ago_ms=1)) for each in trajectory.members]
    rows.append(_row(candidate_id, alone, now()))
    with session.database.writing() as connection:
        shown_opinion.lock_opinions(connection, [candidate_id])
        for values in rows:
            made = insert_or_update(connection, inspections).values(values)
            made = made.on_conflict_do_update(index_elements=ONE_EACH, set_=values)
            number = connection.execute(made.returning(inspections.c.id)).scalar_one()
        shown_opinion.update_agent_columns(connection, candidate_id, session.task)
        if trajectory.stopped_by != "error":
            _set_fault(connection, candidate_id, "")
    _announce(session, "inspection", candidate_id)
    return StoredInspection(
        id=number, candidate_id=candidate_id, at=rows[-1]["at"], trajectory=alone
    )


def _row(candidate_id: int, trajectory: Trajectory, at: str) -> dict[str, Any]:
    model = shown_opinion.checked_model(trajectory.model)
    return {
        "candidate_id": candidate_id,
        "model": model.name,
        "model_sha256": model.sha256,
        "at": at,
        "verdict": trajectory.verdict,
        "p_yes": trajectory.p_yes,
        "stopped_by": trajectory.stopped_by,
        "well_formed": trajectory.well_formed,
        "record": to_line(trajectory),
    }


def inspections_of(session: Session, candidate_id: int) -> list[StoredInspection]:
    """The inspections of a candidate by all models, newest first."""
    query = select(inspections).where(inspections.c.candidate_id == candidate_id)
    rows = session.database.rows(query.order_by(*shown_opinion.NEWEST_FIRST))
    return [_inspection(row) for row in rows]


def all_trajectories(session: Session) -> Iterator[Trajectory]:
    """Iterate over the trajectories of all models, oldest first, reading on demand.

    Those of hidden candidates with a known answer are left out.
    """
    query = select(inspections).where(not_known(inspections.c.candidate_id))
    for rows in pages(session.database, query, inspections.c.id, at_once=PAGE):
        for row in rows:
            yield _inspection(row).trajectory


def models_of(session: Session) -> list[ModelRef]:
    """The models with inspections, by name. Two index seeks a model, however much it inspected."""
    name, sha256 = inspections.c.model, inspections.c.model_sha256
    query = select(name, sha256).order_by(name, sha256).limit(1)
    found: list[ModelRef] = []
    last = ("", "")
    with session.database.reading() as connection:
        # Not both columns in one comparison: SQLite would read all rows of the same name.
        while row := (
            connection.execute(query.where(name == last[0], sha256 > last[1])).one_or_none()
            or connection.execute(query.where(name > last[0])).one_or_none()
        ):
            last = (row.model, row.model_sha256 or "")  # NULL only in a spoilt file
            found.append(ModelRef(name=last[0], sha256=last[1]))
    return found


def pending_candidates(
    session: Session,
    model: ModelRef,
    limit: int | None = None,
    *,
    retry: bool = False,
    share: Share | None = None,
) -> Iterator[Candidate]:
    """Iterate over the candidates that the model has not yet inspected to the end.

    `retry` includes those whose spectrum could not be read the last time.
    """
    todo = _pending_filter(model, retry)
    at_once = PAGE if limit is None else max(1, min(limit, PAGE))
    if share is None:
        rows = matching(session, todo, at_once=at_once)
        yield from islice((row.candidate for row in rows), limit)
        return
    query = select(candidates.c.id).where(condition(todo, context_of(session)), share.condition)
    of_share = pages(session.database, query, candidates.c.id, at_once=at_once)
    found = (each for some in of_share for each in session.candidates([row.id for row in some]))
    yield from islice(found, limit)


def pending_among(
    session: Session, model: ModelRef, candidate_ids: Sequence[int], *, retry: bool = False
) -> list[int]:
    """Those of these candidates that `pending_candidates` would give, in the given order."""
    wanted = pending_condition(session, model, retry=retry)
    with session.database.reading() as connection:
        found = matching_ids(connection, np.array(candidate_ids, dtype=np.int64), wanted)
    return [number for number in candidate_ids if number in found]


def count_pending(
    session: Session, model: ModelRef, *, retry: bool = False, share: Share | None = None
) -> int:
    """Count the candidates of `pending_candidates`; checks every candidate, so call it rarely."""
    wanted = pending_condition(session, model, retry=retry)
    if share is not None:
        wanted &= share.condition
    (count,) = session.database.scalars(select(func.count()).select_from(candidates).where(wanted))
    return int(count)


def mark_fault(session: Session, candidate_id: int, reason: str) -> None:
    """Store why a candidate's spectrum cannot be read; an empty reason clears the fault."""
    reason = "".join(each if each.isprintable() else " " for each in reason)[:MAX_REASON].strip()
    with session.database.writing() as connection:
        has_changed = _set_fault(connection, candidate_id, reason)
    if has_changed:
        _announce(session, "spectrum", candidate_id)


def compare_models(session: Session, first: ModelRef, second: ModelRef) -> Confusion:
    one, other = inspections.alias("one"), inspections.alias("other")
    same_candidate = and_(
        one.c.candidate_id == other.c.candidate_id,
        other.c.model == second.name,
        other.c.model_sha256 == second.sha256,
    )
    query = (
        select(one.c.verdict, other.c.verdict, func.count())
        .select_from(one.join(other, same_candidate))
        .where(one.c.model == first.name, one.c.model_sha256 == first.sha256)
        .where(not_known(one.c.candidate_id))
        .group_by(one.c.verdict, other.c.verdict)
    )
    counts = {(one_says, its): n for one_says, its, n in session.database.rows(query)}
    return Confusion(first=first, second=second, counts=counts)


def _pending_filter(model: ModelRef, retry: bool) -> Filter:
    left = combine(Has("path"), Not(InspectedBy(model.name, model.sha256)))
    return left if retry else combine(left, Not(Has("fault")))


def pending_condition(
    session: Session, model: ModelRef, *, retry: bool = False
) -> ColumnElement[bool]:
    """What is true of the candidates of `pending_candidates`."""
    return condition(_pending_filter(model, retry), context_of(session))


def _set_fault(connection: Connection, candidate_id: int, reason: str) -> bool:
    differs = (candidates.c.id == candidate_id) & (candidates.c.fault != reason)
    return connection.execute(update(candidates).where(differs).values(fault=reason)).rowcount > 0


def _inspection(row: InspectionRow) -> StoredInspection:
    if not have_type(str, row.at, row.record):
        raise damaged(f"an inspection of candidate {row.candidate_id}")
    try:
        trajectory = from_line(row.record)
    except TrajectoryError as error:
        raise SessionError(
            f"the inspection of candidate {row.candidate_id} by {row.model} is damaged: {error}"
        ) from error
    return StoredInspection(
        id=row.id, candidate_id=row.candidate_id, at=row.at, trajectory=trajectory
    )


def _announce(session: Session, aspect: Aspect, candidate_id: int) -> None:
    session.changed.emit(Change(aspect=aspect, candidate_ids=frozenset({candidate_id})))


# By which name and hash a session knows a model that its records may have under another.
def as_recorded(session: Session, model: ModelRef) -> ModelRef:
    """The model as the session's records name it, so that a survey begun before goes on.

    Older records of a model on a server have a hash that is of the server's address, too. Of
    several such the one with the most inspections counts.
    """
    others = model.also
    known = [each for each in models_of(session) if each.sha256 in others] if others else []
    if not known:
        return model
    most = max(known, key=lambda each: _count(session, each))
    others = (model.sha256, *others)
    return replace(model, name=most.name, sha256=most.sha256, also=others)


def recorded_by(trajectory: Trajectory, model: ModelRef) -> Trajectory:
    """The trajectory under the name that `as_recorded` gave, if it is of that model."""
    return replace(trajectory, model=model) if trajectory.model.sha256 in model.also else trajectory


def _count(session: Session, model: ModelRef) -> int:
    query = select(func.count()).select_from(inspections).where(shown_opinion.made_by(model))
    return int(session.database.scalars(query)[0])


# How long an inspection by a model took in this session, and how much of the disk it needs.
@dataclass(frozen=True, kw_only=True)
class MeasuredRate:
    """Means of some records of a model; 0 s if none tells its time."""

    model: ModelRef | None = None
    at: str = ""
    seconds: float = 0.0
    record_bytes: float = RECORD_BYTES


def measured_rate(session: Session, model: ModelRef, samples: int = SAMPLES) -> MeasuredRate:
    record = inspections.c.record
    stored = func.length(record) if session.database.is_file else func.pg_column_size(record)
    # The index of the model has this order, so that no other record is read.
    some = select(record, inspections.c.at, stored.label("size")).where(
        shown_opinion.made_by(model)
    )
    some = some.order_by(inspections.c.candidate_id.desc()).limit(samples)
    rows = session.database.rows(some)
    if not rows:
        return MeasuredRate()
    times = [from_line(row.record).seconds for row in rows]
    # One that was stored without its time would make the others look quicker.
    times = [each for each in times if each > 0] or [0.0]
    return MeasuredRate(
        model=model,
        at=max(row.at for row in rows),
        seconds=fmean(times),
        record_bytes=fmean(row.size for row in rows) + ROW_BYTES,
    )
