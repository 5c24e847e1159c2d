"""Whether a person judges at the end as they did at the beginning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from agent.confidence.intervals import wilson
from agent.confidence.scores import Estimate
from app.core.database.tables import log
from app.core.session.session import Session
from app.core.statistics.agents import NO, YES, AgentVerdicts
from app.core.statistics.number_format import rough_percent
from app.core.statistics.verdicts import (
    ACCEPT,
    NONE,
    UNSURE,
    FloatArray,
    IntArray,
    Verdicts,
    common_indexes,
)

MIN_BLOCK = 25
"""Verdicts in a block: with fewer, shares jump about by themselves."""
MAX_BLOCKS = 12
SIGNIFICANT_P = 0.01
"""So rarely do a steady person's blocks differ as much."""


@dataclass(frozen=True, kw_only=True)
class VerdictBlock:
    """Consecutive verdicts of one person, of those that stand."""

    n: int
    since: str
    until: str
    """UTC, ISO 8601: of the first verdict and of the last."""
    accepted: Estimate
    """The share of ACCEPT, of those decided."""
    unsure: Estimate
    with_people: Estimate
    """The share of other people's verdicts on the same candidates that are the same."""
    with_agent: Estimate
    """The share judged as the agent did, where both decided."""
    p_yes: float | None
    """The agent's mean p(YES): falls where a list is worked from the top down."""


@dataclass(frozen=True, kw_only=True)
class Unsteadiness:
    """Shares accepted that are not those of a steady person, and what it may lie in."""

    first: float
    last: float
    lowest: float
    highest: float
    cause: Literal["person", "list", "unknown"]
    """person: agreement with the agent has changed, too; list: it has not."""


@dataclass(frozen=True, kw_only=True)
class Drift:
    """A person's blocks, and how likely their shares would differ so much by chance alone."""

    reviewer: str
    blocks: tuple[VerdictBlock, ...]
    accepted_by_chance: float
    agent_by_chance: float

    @property
    def words(self) -> str:
        """What the person should know of it; empty where nothing is odd."""
        odd = find_unsteadiness(self)
        if odd is None:
            return ""
        told = (
            f"The share accepted is not steady: {rough_percent(odd.first)} at first, "
            f"{rough_percent(odd.last)} now, from {rough_percent(odd.lowest)} to "
            f"{rough_percent(odd.highest)} over all"
        )
        if odd.cause == "person":
            return f"{told}, and agreement with the agent has changed, too: look at some again."
        if odd.cause == "list":
            return f"{told}; agreement with the agent is as before, so it may be the list."
        return f"{told}: repeats would show whether it is the list or the person."


def find_unsteadiness(drift: Drift) -> Unsteadiness | None:
    """None where nothing is odd."""
    if drift.accepted_by_chance >= SIGNIFICANT_P:
        return None
    shares = [each.accepted.value for each in drift.blocks if each.accepted.value is not None]
    cause: Literal["person", "list", "unknown"] = "unknown"
    if drift.agent_by_chance < SIGNIFICANT_P:
        cause = "person"
    elif any(each.with_agent.value is not None for each in drift.blocks):
        cause = "list"
    return Unsteadiness(
        first=shares[0], last=shares[-1], lowest=min(shares), highest=max(shares), cause=cause
    )


class _Given(NamedTuple):
    """One person's verdicts in the order they were given; NaN where a question does not arise."""

    line: IntArray
    accepted: FloatArray
    unsure: FloatArray
    others: IntArray
    """Other people's verdicts on the candidate, and how many of them are the same."""
    others_alike: IntArray
    as_agent: FloatArray
    p_yes: FloatArray

    def blocks(self) -> list[_Given]:
        count = int(np.clip(self.line.size // MIN_BLOCK, 1, MAX_BLOCKS))
        split = [np.array_split(column, count) for column in self]
        return [_Given(*columns) for columns in zip(*split, strict=True)]


def drift(
    session: Session, verdicts: Verdicts, reviewer: int, agent: AgentVerdicts | None = None
) -> Drift:
    """Of a reviewer who has a verdict, in blocks of about equal size."""
    blocks = _given(verdicts, reviewer, agent).blocks()
    times = _times(session, [int(line) for each in blocks for line in each.line[[0, -1]]])
    return Drift(
        reviewer=verdicts.names[reviewer],
        blocks=tuple(_block(each, times) for each in blocks),
        accepted_by_chance=_by_chance([each.accepted for each in blocks]),
        agent_by_chance=_by_chance([each.as_agent for each in blocks]),
    )


def _given(verdicts: Verdicts, reviewer: int, agent: AgentVerdicts | None) -> _Given:
    mine = np.flatnonzero(verdicts.of(reviewer))
    mine = mine[np.argsort(verdicts.line[mine], kind="stable")]
    code, candidate = verdicts.verdict[mine], verdicts.candidate[mine]
    said, p_yes = np.full(mine.size, NONE), np.full(mine.size, np.nan)
    if agent is not None:
        at, its = common_indexes(candidate, agent.candidate)
        said[at], p_yes[at] = agent.verdict[its], agent.p_yes[its]
    decided = code != UNSURE
    return _Given(
        line=verdicts.line[mine],
        accepted=_where(decided, code == ACCEPT),
        unsure=_where(np.full(mine.size, True), code == UNSURE),
        others=_met_by(verdicts.candidate)[mine],
        others_alike=_met_by(verdicts.candidate * 4 + verdicts.verdict)[mine],
        as_agent=_where(decided & (said != NONE), np.where(code == ACCEPT, YES, NO) == said),
        p_yes=p_yes,
    )


def _met_by(keys: IntArray) -> IntArray:
    """How many others have the same key."""
    _, place, times = np.unique(keys, return_inverse=True, return_counts=True)
    return times[place] - 1


def _where(asked: NDArray[np.bool_], answer: NDArray[np.bool_]) -> FloatArray:
    return np.where(asked, answer.astype(np.float64), np.nan)


def _block(given: _Given, times: dict[int, str]) -> VerdictBlock:
    known = given.p_yes[~np.isnan(given.p_yes)]
    return VerdictBlock(
        n=int(given.line.size),
        since=times.get(int(given.line[0]), ""),
        until=times.get(int(given.line[-1]), ""),
        accepted=_share(given.accepted),
        unsure=_share(given.unsure),
        with_people=_figure(int(given.others_alike.sum()), int(given.others.sum())),
        with_agent=_share(given.as_agent),
        p_yes=float(known.mean()) if known.size else None,
    )


def _share(answers: FloatArray) -> Estimate:
    return _figure(int(np.nansum(answers)), int(np.sum(~np.isnan(answers))))


def _figure(hits: int, n: int) -> Estimate:
    return Estimate(hits / n if n else None, *wilson(hits, n))


def _by_chance(blocks: Sequence[FloatArray]) -> float:
    """The chi-squared test of equal shares; 1 where there is nothing to compare."""
    from scipy.special import chdtrc

    hits = np.array([np.nansum(each) for each in blocks])
    n = np.array([np.sum(~np.isnan(each)) for each in blocks], dtype=np.float64)
    hits, n = hits[n > 0], n[n > 0]
    share = hits.sum() / n.sum() if n.size else 0.0
    if n.size < 2 or share in (0.0, 1.0):
        return 1.0
    off = np.sum((hits - n * share) ** 2 / (n * share * (1.0 - share)))
    return float(chdtrc(n.size - 1, off))


def _times(session: Session, lines: Sequence[int]) -> dict[int, str]:
    """At most two a block, so one query does."""
    query = select(log.c.id, log.c.at).where(log.c.id.in_(lines))
    with session.database.reading() as connection:
        return {row.id: row.at for row in connection.execute(query)}
