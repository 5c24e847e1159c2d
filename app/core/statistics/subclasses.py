"""Sub-classes: how many of each, and how well people agree on them, level by level."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from sqlalchemy import Connection, literal_column, select

from agent.confidence.scores import Agreement, agreement
from agent.tasks.subclass import MAX_LEVELS, SUBCLASS_SEPARATOR
from app.core.database.tables import SUBCLASSED, judgements, reviewers
from app.core.session.finer_values import checked_subclass, common_subclass, subclass_levels
from app.core.session.session import Session

PAGE = 20_000
MAX_PAIRS = 60

Given = Mapping[int, Mapping[str, str]]
"""By candidate: the sub-class that each reviewer gave."""


@dataclass(frozen=True, kw_only=True)
class SubclassPair:
    """Two reviewers at one level, where both have named a class of that level."""

    first: str
    second: str
    level: int
    """1 is the widest, as DA; at 2 DAH and DAZ differ."""
    agreement: Agreement


@dataclass(frozen=True, kw_only=True)
class Subclasses:
    counts: Mapping[str, int]
    """Candidates by sub-class, as far as their reviewers agree; the narrower ones are counted by
    themselves and not with the wider."""
    pairs: tuple[SubclassPair, ...]


def subclass_statistics(session: Session, seed: int = 0) -> Subclasses:
    """Count the sub-classes of a session and compare each pair of reviewers."""
    given = read_subclasses(session)
    common = (common_subclass(said.values()) for said in given.values())
    counts = Counter(path for path in common if path)
    return Subclasses(
        counts=dict(sorted(counts.items())),
        pairs=tuple(_pairs(given, seed)),
    )


def read_subclasses(session: Session) -> Given:
    """Read all sub-classes page by page, so that a writer waits for one page at most."""
    given: dict[int, dict[str, str]] = defaultdict(dict)
    after = (0, 0)
    while True:
        with session.database.reading() as connection:
            rows = list(_page(connection, after))
        for number, reviewer, name, subclass in rows:
            given[number][name] = checked_subclass(subclass)
            after = (number, reviewer)
        if len(rows) < PAGE:
            return given


def _page(connection: Connection, after: tuple[int, int]) -> Iterator[tuple[int, int, str, str]]:
    number, reviewer = judgements.c.candidate_id, judgements.c.reviewer_id
    query = (
        select(number, reviewer, reviewers.c.name, judgements.c.subclass)
        .join(reviewers, reviewers.c.id == reviewer)
        .where(literal_column(f"({SUBCLASSED})"))
        .where((number > after[0]) | ((number == after[0]) & (reviewer > after[1])))
        .order_by(number, reviewer)
        .limit(PAGE)
    )
    for row in connection.execute(query):
        yield row.candidate_id, row.reviewer_id, str(row.name), str(row.subclass)


def _pairs(given: Given, seed: int) -> Iterator[SubclassPair]:
    names = sorted({name for said in given.values() for name in said})
    for first, second in list(combinations(names, 2))[:MAX_PAIRS]:
        both = [
            (subclass_levels(said[first]), subclass_levels(said[second]))
            for said in given.values()
            if first in said and second in said
        ]
        for level in range(1, MAX_LEVELS + 1):
            deep = [(one, two) for one, two in both if min(len(one), len(two)) >= level]
            if not deep:
                break
            ones, twos = (
                [SUBCLASS_SEPARATOR.join(pair[at][:level]) for pair in deep] for at in (0, 1)
            )
            found = agreement(ones, twos, sorted({*ones, *twos}), seed=seed)
            yield SubclassPair(first=first, second=second, level=level, agreement=found)
