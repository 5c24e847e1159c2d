"""Agreement between reviewers, of each pair and of all: on verdicts, and on sub-classes."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from sqlalchemy import Row, literal_column, select

from agent.confidence.scores import Agreement, FleissKappa, agreement, fleiss_agreement
from agent.spectra.spectrum import BoolArray
from agent.tasks.subclass import MAX_LEVELS, SUBCLASS_SEPARATOR
from app.core.database.paging import pages
from app.core.database.tables import SUBCLASSED, judgements, reviewers
from app.core.session.known_answers import not_known
from app.core.session.session import Session
from app.core.session.subclass_and_fields import checked_subclass, common_subclass, subclass_levels
from app.core.statistics.snr_bins import SnrBin, by_snr
from app.core.statistics.verdicts import (
    VERDICTS,
    CodeArray,
    Verdicts,
    common_indexes,
    given_together,
)

PAGE = 20_000
MAX_PAIRS = 60

Given = Mapping[int, Mapping[str, str]]  # By candidate: the sub-class that each reviewer gave.


@dataclass(frozen=True, kw_only=True)
class ReviewerPair:
    first: str
    second: str
    every: Agreement
    by_snr: tuple[SnrBin[Agreement], ...]


@dataclass(frozen=True, kw_only=True)
class ReviewerAgreement:
    """Agreement of all reviewers; `several` covers candidates with two or more verdicts."""

    pairs: tuple[ReviewerPair, ...]
    several: FleissKappa
    several_by_snr: tuple[SnrBin[FleissKappa], ...]


def reviewer_agreement(verdicts: Verdicts) -> ReviewerAgreement:
    """Compute the agreement of all reviewers; pairs without a common candidate are excluded."""
    pairs = (_pair(verdicts, *both) for both in combinations(verdicts.reviewers, 2))
    several = _has_several(verdicts)
    return ReviewerAgreement(
        pairs=tuple(pair for pair in pairs if pair is not None),
        several=_fleiss(verdicts, several),
        several_by_snr=by_snr(
            verdicts.snr[several], lambda some: _fleiss(verdicts, _subset(several, some))
        ),
    )


def verdict_agreement(first: CodeArray, second: CodeArray) -> Agreement:
    """Agreement of two arrays of verdict codes, without NONE."""
    one, two = ([VERDICTS[code] for code in codes.tolist()] for codes in (first, second))
    return agreement(one, two, VERDICTS)


def _pair(verdicts: Verdicts, first: int, second: int) -> ReviewerPair | None:
    mine, theirs = (np.flatnonzero(verdicts.of(number)) for number in (first, second))
    at, other = common_indexes(verdicts.candidate[mine], verdicts.candidate[theirs])
    mine, theirs = mine[at], theirs[other]
    if not mine.size:
        return None
    one, two = verdicts.verdict[mine], verdicts.verdict[theirs]
    return ReviewerPair(
        first=verdicts.names[first],
        second=verdicts.names[second],
        every=verdict_agreement(one, two),
        by_snr=by_snr(verdicts.snr[mine], lambda some: verdict_agreement(one[some], two[some])),
    )


def _has_several(verdicts: Verdicts) -> BoolArray:
    """Which verdicts are on candidates that several reviewers judged."""
    is_same = np.equal(verdicts.candidate[1:], verdicts.candidate[:-1])
    several = np.zeros(len(verdicts), dtype=np.bool_)
    several[1:] |= is_same
    several[:-1] |= is_same
    return several


def _fleiss(verdicts: Verdicts, kept: BoolArray) -> FleissKappa:
    """Fleiss' kappa of the kept verdicts; a candidate's verdicts must be kept all or none."""
    numbers, index = np.unique(verdicts.candidate[kept], return_inverse=True)
    cells = index * len(VERDICTS) + verdicts.verdict[kept]
    counts = np.bincount(cells, minlength=numbers.size * len(VERDICTS)).reshape(-1, len(VERDICTS))
    patterns, times = np.unique(counts, axis=0, return_counts=True)
    found = Counter(dict(zip(map(tuple, patterns.tolist()), times.tolist(), strict=True)))
    return fleiss_agreement(found, VERDICTS)


def _subset(outer: BoolArray, inner: BoolArray) -> BoolArray:
    """Apply the mask `inner` to the elements selected by `outer`."""
    result = outer.copy()
    result[outer] = inner
    return result


# Sub-classes: how many of each, and how well people agree on them, level by level.
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
    number, reviewer = judgements.c.candidate_id, judgements.c.reviewer_id
    query = (
        select(number, reviewer, judgements.c.log_id, reviewers.c.name, judgements.c.subclass)
        .join(reviewers, reviewers.c.id == reviewer)
        .where(literal_column(f"({SUBCLASSED})"), not_known(number))
    )
    found = pages(session.database, query, number, reviewer, at_once=PAGE)
    rows = [row for some in found for row in some]
    common = (common_subclass(said.values()) for said in _given(rows).values())
    counts = Counter(path for path in common if path)
    whose = {row.log_id: row.reviewer_id for row in rows}
    together = given_together(session, whose, "subclass")
    alone = _given(row for row in rows if row.log_id not in together)
    return Subclasses(counts=dict(sorted(counts.items())), pairs=tuple(_subclass_pairs(alone)))


def _given(rows: Iterable[Row[Any]]) -> Given:
    given: dict[int, dict[str, str]] = defaultdict(dict)
    for row in rows:
        given[row.candidate_id][str(row.name)] = checked_subclass(str(row.subclass))
    return given


def _subclass_pairs(given: Given) -> Iterator[SubclassPair]:
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
