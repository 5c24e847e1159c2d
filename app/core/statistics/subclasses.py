"""Sub-classes: how many of each, and how well people agree on them, level by level."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from sqlalchemy import Row, literal_column, select

from agent.confidence.scores import Agreement, agreement
from agent.tasks.subclass import MAX_LEVELS, SUBCLASS_SEPARATOR
from app.core.database.paging import pages
from app.core.database.tables import SUBCLASSED, judgements, reviewers
from app.core.session.known_answers import not_known
from app.core.session.session import Session
from app.core.session.subclass_and_fields import checked_subclass, common_subclass, subclass_levels
from app.core.statistics.verdicts import given_together

PAGE = 20_000
MAX_PAIRS = 60

Given = Mapping[int, Mapping[str, str]]  # By candidate: the sub-class that each reviewer gave.


@dataclass(frozen=True, kw_only=True)
class SubclassPair:
    """Two reviewers at one level, where both have named a class of that level."""

    first: str
    second: str
    level: int  # 1 is the widest, as DA; at 2 DAH and DAZ differ.
    agreement: Agreement


@dataclass(frozen=True, kw_only=True)
class Subclasses:
    counts: Mapping[str, int]
    """Candidates by sub-class, as far as their reviewers agree; the narrower ones are counted by
    themselves and not with the wider."""
    pairs: tuple[SubclassPair, ...]


def subclass_statistics(session: Session) -> Subclasses:
    """Count the sub-classes of a session and compare each pair of reviewers.

    Known answers are left out, and of the comparison what was given to several in one act.
    """
    rows = list(_read(session))
    common = (common_subclass(said.values()) for said in _given(rows).values())
    counts = Counter(path for path in common if path)
    whose = {row.log_id: row.reviewer_id for row in rows}
    together = given_together(session, whose, "subclass")
    alone = _given(row for row in rows if row.log_id not in together)
    return Subclasses(counts=dict(sorted(counts.items())), pairs=tuple(_pairs(alone)))


def _given(rows: Iterable[Row[Any]]) -> Given:
    given: dict[int, dict[str, str]] = defaultdict(dict)
    for row in rows:
        given[row.candidate_id][str(row.name)] = checked_subclass(str(row.subclass))
    return given


def _read(session: Session) -> Iterator[Row[Any]]:
    """All sub-classes of what was found."""
    number, reviewer = judgements.c.candidate_id, judgements.c.reviewer_id
    query = (
        select(number, reviewer, judgements.c.log_id, reviewers.c.name, judgements.c.subclass)
        .join(reviewers, reviewers.c.id == reviewer)
        .where(literal_column(f"({SUBCLASSED})"), not_known(number))
    )
    for rows in pages(session.database, query, number, reviewer, at_once=PAGE):
        yield from rows


def _pairs(given: Given) -> Iterator[SubclassPair]:
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
            found = agreement(ones, twos, sorted({*ones, *twos}))
            yield SubclassPair(first=first, second=second, level=level, agreement=found)
