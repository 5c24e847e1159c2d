"""Remembers for which candidates a reviewer has seen an agent's result, or revealed evidence.

An assistant counts as a reviewer by the name `mcp: NAME`.

For verdicts given afterwards the log says so. Before that, one fact of the session per candidate
and reviewer stores it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select

from app.core.database.database import read_fact, write_facts
from app.core.database.tables import facts, log, reviewers
from app.core.session.session import MAX_IDS, Session

UNSEEN = "{}"
PREFIX = "seen:"  # of the fact's key; candidate id and reviewer name follow
EVIDENCE = "evidence_seen:"  # likewise, of what catalogues say that gives the class away
BLIND, OPEN = "b", "o"  # first letter of the value; the model name follows
BY_SCRIPT = {"by": "script"}
"""Part of what the log says was shown, of a verdict by a script that may know an agent's answer."""


@dataclass(frozen=True)
class SeenResult:
    """An agent's result that the reviewer has seen.

    `model` is the model seen at work, or empty. `in_blind`: seen in blind mode, on request or after
    a verdict.
    """

    model: str = ""
    in_blind: bool = False


# Each verdict asks these: to build them takes longer than to ask.
_STORED = select(facts.c.key, facts.c.value).where(
    facts.c.key.in_(bindparam("keys", expanding=True))
)
_IN_LOG = (
    select(log.c.candidate_id)
    .distinct()
    .join(reviewers, reviewers.c.id == log.c.reviewer_id)
    .where(log.c.candidate_id.in_(bindparam("some", expanding=True)))
    .where(reviewers.c.name == bindparam("reviewer"))
    .where(log.c.shown != UNSEEN, log.c.action == "set")
)


def read_seen(session: Session, candidate_id: int) -> SeenResult | None:
    """What this session's reviewer has seen of the candidate's results, or None."""
    return seen_of(session, [candidate_id]).get(candidate_id)


def seen_of(
    session: Session, candidate_ids: Sequence[int], reviewer: str = ""
) -> dict[int, SeenResult]:
    """`read_seen` of many candidates, for any reviewer; those without a result are left out."""
    found: dict[int, SeenResult] = {}
    reviewer = reviewer or session.reviewer
    for start in range(0, len(candidate_ids), MAX_IDS):
        some = candidate_ids[start : start + MAX_IDS]
        keys = {seen_key(number, reviewer): number for number in some}
        with session.database.reading() as connection:
            judged = connection.execute(_IN_LOG, {"some": some, "reviewer": reviewer})
            found |= dict.fromkeys(judged.scalars(), SeenResult())
            for key, value in connection.execute(_STORED, {"keys": list(keys)}):
                if isinstance(value, str):
                    found[keys[key]] = seen_from(value)
    return found


def record_seen(session: Session, seen: Mapping[int, SeenResult], reviewer: str = "") -> None:
    """Store what this session's reviewer has seen, by candidate number, in one transaction."""
    if seen:
        name = reviewer or session.reviewer
        rows = {seen_key(number, name): seen_text(each) for number, each in seen.items()}
        with session.database.writing() as connection:
            write_facts(connection, rows)


def is_evidence_revealed(session: Session, candidate_id: int) -> bool:
    """Whether the reviewer asked in blind mode to see what gives the class away."""
    key = f"{EVIDENCE}{candidate_id}:{session.reviewer}"
    with session.database.reading() as connection:
        return read_fact(connection, key) is not None


def record_evidence_revealed(session: Session, candidate_id: int) -> None:
    key = f"{EVIDENCE}{candidate_id}:{session.reviewer}"
    with session.database.writing() as connection:
        write_facts(connection, {key: "yes"})


def seen_by(connection: Connection) -> Iterator[tuple[str, str]]:
    """Who has seen something that tells the class: numbers of candidates, and names."""
    for prefix in (PREFIX, EVIDENCE):
        keys = select(facts.c.key).where(facts.c.key.startswith(prefix, autoescape=True))
        for key in connection.execute(keys).scalars():
            number, _, name = str(key).removeprefix(prefix).partition(":")
            yield number, name


def seen_key(candidate_id: int, reviewer: str) -> str:
    return f"{PREFIX}{candidate_id}:{reviewer}"


def seen_text(seen: SeenResult) -> str:
    return (BLIND if seen.in_blind else OPEN) + seen.model


def seen_from(text: str) -> SeenResult:
    return SeenResult(model=text[1:], in_blind=text.startswith(BLIND))
