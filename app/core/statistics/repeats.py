"""Candidates served again: would you say the same a second time?

A repeat is no verdict. It stands in a table of its own, beside the log: the first verdict holds,
and what undo takes back is untouched.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass

import numpy as np
from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from agent.confidence.scores import Agreement
from app.core.database.tables import judgements, log, repeats, reviewers
from app.core.errors import SessionError
from app.core.session import verdict_log
from app.core.session.records import Change, Opinion
from app.core.session.session import Session
from app.core.session.stored_opinions import checked, opinion_of
from app.core.statistics.people import verdict_agreement
from app.core.statistics.verdicts import CODE

SHARE = 0.05
GAP = 50
"""So many other verdicts must lie between, or the person remembers the spectrum."""


@dataclass(frozen=True, kw_only=True)
class Repeat:
    """A candidate judged again. `first` is what the reviewer thought of it until then."""

    id: int
    candidate_id: int
    reviewer: str
    at: str
    first: Opinion
    again: Opinion
    seconds: float | None = None

    @property
    def is_same(self) -> bool:
        return self.first.verdict == self.again.verdict


@dataclass(frozen=True, kw_only=True)
class Consistency:
    """How far a person agrees with themselves: rows the first time, columns the second."""

    reviewer: str
    agreement: Agreement
    differing: tuple[int, ...]
    """Candidates they judged otherwise the second time: worth another look."""


def plan_repeats(
    session: Session, share: float = SHARE, seed: int = 0, *, gap: int = GAP
) -> tuple[int, ...]:
    """Candidates to serve again to this session's reviewer, in this order.

    With those served already they are `share` of all they have judged. Chosen by a hash, so that
    each has the same chance and the same session gives the same plan.
    """
    if not 0.0 <= share <= 1.0:
        raise SessionError(f"a share of {share} repeats is not usable: it lies from 0 to 1")
    reviewer = session.reviewer_number
    if reviewer is None:
        return ()
    mine = (judgements.c.reviewer_id == reviewer) & judgements.c.verdict.is_not(None)
    query = select(judgements.c.candidate_id).where(mine).order_by(judgements.c.log_id.desc())
    served = select(repeats.c.candidate_id).where(_standing(reviewer)).distinct()
    with session.database.reading() as connection:
        judged = list(connection.execute(query).scalars())
        before = set(connection.execute(served).scalars())
    wanted = math.ceil(share * len(judged)) - len(before)
    ripe = [number for number in judged[max(gap, 0) :] if number not in before]
    return tuple(_in_lot_order(ripe, session.id, seed)[: max(wanted, 0)])


def record_repeat(
    session: Session, candidate_id: int, opinion: Opinion, *, seconds: float | None = None
) -> Repeat:
    """Write down what the reviewer says the second time. Their verdict stays what it was."""
    opinion = checked(opinion)
    if opinion.verdict is None:
        raise SessionError("a repeat without a verdict tells nothing: pass over it instead")
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
            "seconds": seconds,
            "first_id": first,
            "after_id": _last_line(connection, reviewer),
        }
        made = connection.execute(insert(repeats).values(values).returning(repeats.c.id))
        (repeat,) = _read(connection, repeats.c.id == made.scalar_one())
    return _told(session, repeat)


def withdraw_repeat(session: Session) -> Repeat | None:
    """Take the reviewer's last repeat back, where it is the last thing they did; else None.

    Undo comes here first: otherwise it would take back the verdict before the repeat.
    """
    with session.database.writing() as connection:
        reviewer = verdict_log.find_reviewer(connection, session.reviewer)
        newest = select(func.max(repeats.c.id)).where(_standing(reviewer))
        number = connection.execute(newest).scalar() if reviewer is not None else None
        if reviewer is None or number is None:
            return None
        after = select(repeats.c.after_id).where(repeats.c.id == number)
        if connection.execute(after).scalar_one() < _last_line(connection, reviewer):
            return None
        taken = update(repeats).where(repeats.c.id == number).values(withdrawn=True)
        connection.execute(taken)
        (repeat,) = _read(connection, repeats.c.id == number)
    return _told(session, repeat)


def repeats_of(session: Session, reviewer: str | None = None) -> list[Repeat]:
    """Those not withdrawn, of one person or of all, oldest first."""
    with session.database.reading() as connection:
        if reviewer is None:
            return _read(connection, repeats.c.withdrawn.is_(False))
        number = verdict_log.find_reviewer(connection, reviewer)
        return [] if number is None else _read(connection, _standing(number))


def consistency(session: Session, seed: int = 0) -> tuple[Consistency, ...]:
    """Of everybody who was served repeats."""
    found: dict[str, list[Repeat]] = {}
    for repeat in repeats_of(session):
        found.setdefault(repeat.reviewer, []).append(repeat)
    return tuple(_consistency(name, each, seed) for name, each in sorted(found.items()))


def _consistency(name: str, served: list[Repeat], seed: int) -> Consistency:
    pairs = [
        (CODE[repeat.first.verdict], CODE[repeat.again.verdict])
        for repeat in served
        if repeat.first.verdict is not None and repeat.again.verdict is not None
    ]
    codes = np.array(pairs, dtype=np.int8).reshape(-1, 2)
    differing = dict.fromkeys(each.candidate_id for each in served if not each.is_same)
    return Consistency(
        reviewer=name,
        agreement=verdict_agreement(codes[:, 0], codes[:, 1], seed),
        differing=tuple(differing),
    )


def _read(connection: Connection, which: ColumnElement[bool]) -> list[Repeat]:
    """Repeats with the opinions they ask for again, oldest first."""
    query = (
        select(repeats, reviewers.c.name)
        .join(reviewers, reviewers.c.id == repeats.c.reviewer_id)
        .where(which)
        .order_by(repeats.c.id)
    )
    asked = select(log).join(repeats, repeats.c.first_id == log.c.id).where(which)
    lines = {row.id: row for row in connection.execute(asked)}
    return [
        Repeat(
            id=row.id,
            candidate_id=row.candidate_id,
            reviewer=row.name,
            at=row.at,
            first=opinion_of(lines[row.first_id]),
            again=opinion_of(row),
            seconds=row.seconds,
        )
        for row in connection.execute(query)
    ]


def _standing(reviewer: int | None) -> ColumnElement[bool]:
    return (repeats.c.reviewer_id == reviewer) & repeats.c.withdrawn.is_(False)


def _verdict_line(connection: Connection, candidate_id: int, reviewer: int) -> int:
    """The line of the log that holds the reviewer's verdict."""
    found: int | None = connection.execute(
        select(judgements.c.log_id).where(
            judgements.c.candidate_id == candidate_id,
            judgements.c.reviewer_id == reviewer,
            judgements.c.verdict.is_not(None),
        )
    ).scalar()
    if found is None:
        raise SessionError(f"candidate {candidate_id} has no verdict of yours to be repeated")
    return found


def _last_line(connection: Connection, reviewer: int) -> int:
    query = select(func.max(log.c.id)).where(log.c.reviewer_id == reviewer)
    return connection.execute(query).scalar() or 0


def _in_lot_order(numbers: list[int], session_id: str, seed: int) -> list[int]:
    """Shuffled by a hash (splitmix64): the same every time, whatever else there is."""
    salt = hashlib.sha256(f"{session_id} {seed}".encode()).digest()[:8]
    x = np.array(numbers, dtype=np.uint64) ^ np.uint64(int.from_bytes(salt))
    x += np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    lots = x ^ (x >> np.uint64(31))
    return [numbers[place] for place in np.argsort(lots, kind="stable").tolist()]


def _told(session: Session, repeat: Repeat) -> Repeat:
    touched = frozenset({repeat.candidate_id})
    session.changed.emit(Change(aspect="verdict", candidate_ids=touched))
    return repeat
