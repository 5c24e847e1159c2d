"""Repeats: candidates shown a second time, to measure how consistent a reviewer is.

A repeat is not a verdict. It has a table of its own, and does not affect the first verdict or undo.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from agent.confidence.scores import Agreement
from app.core.database.tables import judgements, log, repeats, reviewers
from app.core.errors import SessionError
from app.core.session import verdict_log
from app.core.session.known_answers import not_known
from app.core.session.records import Change, Opinion
from app.core.session.session import Session
from app.core.session.stored_opinions import checked, damaged, opinion_of
from app.core.session.subclass_and_fields import values_text
from app.core.session.velocity import velocity_json
from app.core.statistics.people import verdict_agreement
from app.core.statistics.verdicts import CODE

SHARE = 0.05
# So many other verdicts must come in between, or the reviewer remembers the spectrum.
GAP = 50
IS_REPEAT = repeats.c.shown == ""  # no second reading of a study


@dataclass(frozen=True, kw_only=True)
class Repeat:
    """A candidate judged a second time; `first` is the opinion that stood until then."""

    id: int
    candidate_id: int
    reviewer: str
    at: str
    first: Opinion
    second: Opinion
    seconds: float | None = None

    @property
    def is_same(self) -> bool:
        return self.first.verdict == self.second.verdict


@dataclass(frozen=True, kw_only=True)
class Consistency:
    """A reviewer's agreement with themselves; rows are the first verdicts, columns the second."""

    reviewer: str
    agreement: Agreement
    differing: tuple[int, ...]  # candidates with different verdicts, worth another look


def plan_repeats(
    session: Session, share: float = SHARE, seed: int = 0, *, gap: int = GAP
) -> tuple[int, ...]:
    """Choose the candidates to show again to this session's reviewer, in this order.

    Together with earlier repeats they are `share` of all judged candidates. A hash chooses them, so
    all have the same chance and the plan is reproducible.
    """
    if not 0.0 <= share <= 1.0:
        raise SessionError(f"the share of repeats must be from 0 to 1, not {share}")
    reviewer = session.reviewer_number
    if reviewer is None:
        return ()
    mine = (judgements.c.reviewer_id == reviewer) & judgements.c.verdict.is_not(None)
    mine &= not_known(judgements.c.candidate_id)  # they were told the answer
    query = select(judgements.c.candidate_id).where(mine).order_by(judgements.c.log_id.desc())
    served = select(repeats.c.candidate_id).where(_is_valid(reviewer)).distinct()
    with session.database.reading() as connection:
        judged = list(connection.execute(query).scalars())
        before = set(connection.execute(served).scalars())
    wanted = math.ceil(share * len(judged)) - len(before)
    ripe = [number for number in judged[max(gap, 0) :] if number not in before]
    return tuple(_shuffled(ripe, session.id, seed)[: max(wanted, 0)])


def record_repeat(
    session: Session,
    candidate_id: int,
    opinion: Opinion,
    *,
    seconds: float | None = None,
    shown: Mapping[str, Any] | None = None,
) -> Repeat:
    """Record the reviewer's second opinion; their verdict does not change.

    `shown` is what they had seen of an agent's opinion; it is given for a reading of a study, which
    does not count as a repeat.
    """
    opinion = checked(opinion)
    if opinion.verdict is None:
        raise SessionError("a repeat needs a verdict. Skip this candidate instead")
    with session.database.writing() as connection:
        reviewer = verdict_log.reviewer_id(connection, session.reviewer)
        first = _verdict_line(connection, candidate_id, reviewer)
        values = {
            "candidate_id": candidate_id,
            "reviewer_id": reviewer,
            "at": verdict_log.now(),
            "verdict": opinion.verdict,
            "confidence": opinion.confidence,
            "flags": json.dumps(list(opinion.flags)),
            "comment": opinion.comment,
            "subclass": opinion.subclass,
            "fields": values_text(opinion.fields),
            "velocity": velocity_json(opinion.velocity),
            "seconds": seconds,
            "shown": "" if shown is None else json.dumps(dict(shown)),
            "first_id": first,
            "after_id": _last_line(connection, reviewer),
        }
        made = connection.execute(insert(repeats).values(values).returning(repeats.c.id))
        (repeat,) = _read(connection, repeats.c.id == made.scalar_one())
    return _announce(session, repeat)


def withdraw_repeat(session: Session) -> Repeat | None:
    """Withdraw the reviewer's last repeat if it is the last thing they did, else return None.

    Undo must call this first: otherwise it would undo the verdict before the repeat.
    """
    with session.database.writing() as connection:
        reviewer = verdict_log.find_reviewer(connection, session.reviewer)
        newest = select(func.max(repeats.c.id)).where(_is_valid(reviewer))
        number = connection.execute(newest).scalar() if reviewer is not None else None
        if reviewer is None or number is None:
            return None
        after = select(repeats.c.after_id).where(repeats.c.id == number)
        if connection.execute(after).scalar_one() < _last_line(connection, reviewer):
            return None
        taken = update(repeats).where(repeats.c.id == number).values(withdrawn=True)
        connection.execute(taken)
        (repeat,) = _read(connection, repeats.c.id == number)
    return _announce(session, repeat)


def repeats_of(session: Session) -> list[Repeat]:
    """The repeats of all, oldest first, without withdrawn ones and those of a study."""
    with session.database.reading() as connection:
        return _read(connection, repeats.c.withdrawn.is_(False) & IS_REPEAT)


def consistency(session: Session) -> tuple[Consistency, ...]:
    found: dict[str, list[Repeat]] = {}
    for repeat in repeats_of(session):
        found.setdefault(repeat.reviewer, []).append(repeat)
    return tuple(_consistency(name, each) for name, each in sorted(found.items()))


def _consistency(name: str, served: list[Repeat]) -> Consistency:
    pairs = [
        (CODE[repeat.first.verdict], CODE[repeat.second.verdict])
        for repeat in served
        if repeat.first.verdict is not None and repeat.second.verdict is not None
    ]
    codes = np.array(pairs, dtype=np.int8).reshape(-1, 2)
    differing = dict.fromkeys(each.candidate_id for each in served if not each.is_same)
    agreed = verdict_agreement(codes[:, 0], codes[:, 1])
    return Consistency(reviewer=name, agreement=agreed, differing=tuple(differing))


def _read(connection: Connection, which: ColumnElement[bool]) -> list[Repeat]:
    """Repeats with both opinions, oldest first."""
    query = (
        select(repeats, reviewers.c.name)
        .join(reviewers, reviewers.c.id == repeats.c.reviewer_id)
        .where(which)
        .order_by(repeats.c.id)
    )
    asked = select(log).join(repeats, repeats.c.first_id == log.c.id).where(which)
    lines = {row.id: row for row in connection.execute(asked)}
    rows = connection.execute(query).all()
    if any(row.first_id not in lines for row in rows):
        raise damaged("a repeat")
    return [
        Repeat(
            id=row.id,
            candidate_id=row.candidate_id,
            reviewer=row.name,
            at=row.at,
            first=opinion_of(lines[row.first_id]),
            second=opinion_of(row),
            seconds=row.seconds,
        )
        for row in rows
    ]


def _is_valid(reviewer: int | None) -> ColumnElement[bool]:
    return (repeats.c.reviewer_id == reviewer) & repeats.c.withdrawn.is_(False)


def _verdict_line(connection: Connection, candidate_id: int, reviewer: int) -> int:
    found: int | None = connection.execute(
        select(judgements.c.log_id).where(
            judgements.c.candidate_id == candidate_id,
            judgements.c.reviewer_id == reviewer,
            judgements.c.verdict.is_not(None),
        )
    ).scalar()
    if found is None:
        raise SessionError(f"you have no verdict on candidate {candidate_id} to be repeated")
    return found


def _last_line(connection: Connection, reviewer: int) -> int:
    query = select(func.max(log.c.id)).where(log.c.reviewer_id == reviewer)
    return connection.execute(query).scalar() or 0


def _shuffled(numbers: list[int], session_id: str, seed: int) -> list[int]:
    """Shuffle by a hash (splitmix64), independent of what else is in the list."""
    salt = hashlib.sha256(f"{session_id} {seed}".encode()).digest()[:8]
    x = np.array(numbers, dtype=np.uint64) ^ np.uint64(int.from_bytes(salt))
    x += np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    keys = x ^ (x >> np.uint64(31))
    return [numbers[index] for index in np.argsort(keys, kind="stable").tolist()]


def _announce(session: Session, repeat: Repeat) -> Repeat:
    session.changed.emit(Change(aspect="verdict", candidate_ids=frozenset({repeat.candidate_id})))
    return repeat
