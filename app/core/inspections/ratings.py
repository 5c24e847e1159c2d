"""Ratings that people give an agent's inspections while they judge: one number from 0 to 5.

A fact of the session holds each, as the same record that the rating room writes. Rating again
replaces it, and an empty value has taken it back.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import select

from agent.errors import WorkbenchError
from agent.protocol.reply import Verdict as AgentVerdict
from agent.ratings.records import Rating, record_from, subject_of, timestamp, to_json, trajectory_id
from agent.trajectory.trajectory import Trajectory
from app.core.database.paging import pages
from app.core.database.tables import candidates, facts, judgements, reviewers
from app.core.errors import SessionError
from app.core.queue.sql_conditions import against_agent
from app.core.session.known_answers import known_ids, not_known
from app.core.session.records import Change, Verdict
from app.core.session.session import MAX_IDS, Session

PREFIX = "rating:"  # of the fact's key; candidate id, trajectory id and reviewer name follow
MAX_FAULTS = 2000
LOW = 2  # up to this the agent is taken to be wrong, even if its verdict is right


@dataclass(frozen=True, kw_only=True)
class AgentFault:
    """An inspection that a person rated low, or whose verdict a person contradicts."""

    candidate_id: int
    object_id: str
    by: str
    score: int | None  # None if it was contradicted without a rating
    agent: AgentVerdict | None  # what the agent shown for this candidate says now
    person: Verdict | None
    model: str


def rate(session: Session, candidate_id: int, trajectory: Trajectory, score: int) -> Rating | None:
    """Store this reviewer's rating; the same score again takes it back, and None is returned."""
    before = rating_of(session, candidate_id, trajectory)
    rating: Rating | None = None
    if before is None or before.overall != score:
        about = subject_of(trajectory)
        rating = Rating(subject=about, by=session.reviewer, overall=score, at=timestamp())
    value = "" if rating is None else rating_text(rating)
    session.set_fact(_key(session, candidate_id, trajectory), value)
    session.changed.emit(Change(aspect="rating", candidate_ids=frozenset({candidate_id})))
    return rating


def rating_of(session: Session, candidate_id: int, trajectory: Trajectory) -> Rating | None:
    """What this reviewer has given; None too for one that is damaged."""
    return rating_from(session.fact(_key(session, candidate_id, trajectory)))


def all_ratings(session: Session) -> Iterator[tuple[int, Rating]]:
    """Every valid rating with the number of its candidate, by all reviewers."""
    query = select(facts).where(facts.c.key.startswith(PREFIX, autoescape=True))
    for rows in pages(session.database, query, facts.c.key, at_once=MAX_IDS, after=("",)):
        for row in rows:
            number, _ = numbered(row.key, PREFIX)
            rating = rating_from(row.value)
            if rating is not None and number is not None:
                yield number, rating


def agent_faults(session: Session) -> list[AgentFault]:
    """What the agent gets wrong: low ratings from the lowest up, then contradicted verdicts.

    As in the lessons made from them, known answers are left out.
    """
    contradicted, hidden = _contradicted(session), known_ids(session)
    rated = [(n, each) for n, each in all_ratings(session) if each.scores and n not in hidden]
    low = [(n, each) for n, each in rated if each.lowest <= LOW or (n, each.by) in contradicted]
    low = sorted(low, key=lambda pair: (pair[1].lowest, pair[0]))[:MAX_FAULTS]
    known = {each.id: each for each in session.candidates(n for n, _ in low)}
    verdicts = _verdicts(session, sorted(known))
    faults = [
        AgentFault(
            candidate_id=number,
            object_id=known[number].object_id,
            by=rating.by,
            score=rating.lowest,
            agent=known[number].agent_verdict,
            person=verdicts.get((number, rating.by)),
            model=rating.subject.model,
        )
        for number, rating in low
        if number in known
    ]
    listed = {(fault.candidate_id, fault.by) for fault in faults}
    rest = [fault for key, fault in contradicted.items() if key not in listed]
    return [*faults, *rest][:MAX_FAULTS]


def rating_text(rating: Rating) -> str:
    return json.dumps(to_json(rating), ensure_ascii=False)


def rating_from(text: str | None) -> Rating | None:
    """The rating in a fact; None if it was taken back or is not valid."""
    if not isinstance(text, str) or not text:
        return None
    try:
        found = record_from(json.loads(text))
    except (ValueError, RecursionError, WorkbenchError):
        return None
    return found if isinstance(found, Rating) else None


def numbered(key: object, prefix: str) -> tuple[int | None, str]:
    """The candidate's number in the key of a fact, if it has a valid one, and what follows."""
    number, _, rest = str(key).removeprefix(prefix).partition(":")
    is_number = number.isascii() and number.isdecimal() and len(number) < 19
    return int(number) if is_number else None, rest


def rating_key(candidate_id: int, trajectory: str, reviewer: str) -> str:
    return f"{PREFIX}{candidate_id}:{trajectory}:{reviewer}"


def _key(session: Session, candidate_id: int, trajectory: Trajectory) -> str:
    if not session.reviewer:
        raise SessionError("a rating needs your name: choose one in the settings")
    return rating_key(candidate_id, trajectory_id(trajectory), session.reviewer)


def _contradicted(session: Session) -> dict[tuple[int, str], AgentFault]:
    """Verdicts against that of the agent shown, by candidate and reviewer."""
    about = (candidates.c[name] for name in ("id", "object_id", "agent_verdict", "agent_model"))
    query = (
        select(*about, judgements.c.verdict, reviewers.c.name)
        .join(judgements, judgements.c.candidate_id == candidates.c.id)
        .join(reviewers, reviewers.c.id == judgements.c.reviewer_id)
        .where(against_agent(judgements.c.verdict), not_known(candidates.c.id))
        .order_by(candidates.c.id)
        .limit(MAX_FAULTS)
    )
    return {
        (row.id, row.name): AgentFault(
            candidate_id=row.id,
            object_id=row.object_id,
            by=row.name,
            score=None,
            agent=row.agent_verdict,
            person=Verdict(row.verdict),
            model=row.agent_model,
        )
        for row in session.database.rows(query)
    }


def _verdicts(session: Session, numbers: Sequence[int]) -> dict[tuple[int, str], Verdict]:
    found: dict[tuple[int, str], Verdict] = {}
    query = select(judgements.c.candidate_id, reviewers.c.name, judgements.c.verdict).join(
        reviewers, reviewers.c.id == judgements.c.reviewer_id
    )
    for start in range(0, len(numbers), MAX_IDS):
        some = judgements.c.candidate_id.in_(numbers[start : start + MAX_IDS])
        for number, name, verdict in session.database.rows(query.where(some)):
            if verdict in list(Verdict):
                found[number, name] = Verdict(verdict)
    return found
