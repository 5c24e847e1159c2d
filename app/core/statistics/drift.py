"""Drift: whether a reviewer judges at the end as at the beginning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from sqlalchemy import select

from agent.confidence.scores import Estimate, wilson
from agent.spectra.spectrum import BoolArray, FloatArray
from app.core.database.tables import log
from app.core.session.session import Session
from app.core.statistics.agents import NO, YES, AgentVerdicts
from app.core.statistics.number_format import rough_percent
from app.core.statistics.verdicts import ACCEPT, NONE, UNSURE, IntArray, Verdicts, common_indexes

MIN_BLOCK = 25  # verdicts; in smaller blocks the shares are too noisy
MAX_BLOCKS = 12
SIGNIFICANT_P = 0.01


@dataclass(frozen=True, kw_only=True)
class VerdictBlock:
    """Consecutive current verdicts of one reviewer."""

    n: int
    since: str
    until: str  # UTC, ISO 8601: `since` of the first verdict, `until` of the last.
    accepted: Estimate  # the share of ACCEPT among ACCEPT and REJECT
    unsure: Estimate
    with_people: Estimate  # the share of equal verdicts by other reviewers on the same candidates
    with_agent: Estimate  # the share of verdicts that agree with the agent, where both decided
    p_yes: float | None
    """The agent's mean p(YES), which falls if a list is worked from the top down."""


@dataclass(frozen=True, kw_only=True)
class Unsteadiness:
    """Shares of ACCEPT that vary more than chance allows, and the likely cause."""

    first: float
    last: float
    lowest: float
    highest: float
    cause: Literal["person", "list", "unknown"]
    """"person": agreement with the agent has changed too; "list": it has not."""


@dataclass(frozen=True, kw_only=True)
class Drift:
    """A reviewer's blocks, and how likely chance alone makes their shares differ so much."""

    reviewer: str
    blocks: tuple[VerdictBlock, ...]
    accepted_by_chance: float
    agent_by_chance: float

    @property
    def words(self) -> str:
        """A sentence for the reviewer; empty if the shares are steady."""
        found = find_unsteadiness(self)
        if found is None:
            return ""
        text = (
            f"The accepted fraction is not steady: {rough_percent(found.first)} at first, "
            f"{rough_percent(found.last)} now, from {rough_percent(found.lowest)} to "
            f"{rough_percent(found.highest)} overall."
        )
        if found.cause == "person":
            return f"{text} Agreement with the agent has changed too: review some objects again."
        if found.cause == "list":
            return f"{text} Agreement with the agent has not changed, so the list may vary."
        return f"{text} A repeat round would show whether the list or the person varies."


def find_unsteadiness(drift: Drift) -> Unsteadiness | None:
    """The variation of the shares if it is significant, else None."""
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


class _Series(NamedTuple):
    """One reviewer's verdicts in chronological order; NaN where a column does not apply."""

    line: IntArray
    accepted: FloatArray
    unsure: FloatArray
    others: IntArray
    """Number of other reviewers' verdicts on the candidate; `others_alike` counts equal ones."""
    others_alike: IntArray
    as_agent: FloatArray
    p_yes: FloatArray

    def blocks(self) -> list[_Series]:
        count = int(np.clip(self.line.size // MIN_BLOCK, 1, MAX_BLOCKS))
        split = [np.array_split(column, count) for column in self]
        return [_Series(*columns) for columns in zip(*split, strict=True)]


def drift(
    session: Session, verdicts: Verdicts, reviewer: int, agent: AgentVerdicts | None = None
) -> Drift:
    """Compute the drift of a reviewer, who must have a verdict, in blocks of about equal size."""
    blocks = _series(verdicts, reviewer, agent).blocks()
    # Two lines per block at most, so one query is enough.
    ends = [int(line) for each in blocks for line in each.line[[0, -1]]]
    rows = session.database.rows(select(log.c.id, log.c.at).where(log.c.id.in_(ends)))
    times = {row.id: row.at for row in rows}
    return Drift(
        reviewer=verdicts.names[reviewer],
        blocks=tuple(_block(each, times) for each in blocks),
        accepted_by_chance=equal_by_chance([each.accepted for each in blocks]),
        agent_by_chance=equal_by_chance([each.as_agent for each in blocks]),
    )


def _series(verdicts: Verdicts, reviewer: int, agent: AgentVerdicts | None) -> _Series:
    mine = np.flatnonzero(verdicts.of(reviewer))
    mine = mine[np.argsort(verdicts.line[mine], kind="stable")]
    code, candidate = verdicts.verdict[mine], verdicts.candidate[mine]
    answer, p_yes = np.full(mine.size, NONE), np.full(mine.size, np.nan)
    if agent is not None:
        at, its = common_indexes(candidate, agent.candidate)
        answer[at], p_yes[at] = agent.verdict[its], agent.p_yes[its]
    decided = code != UNSURE
    return _Series(
        line=verdicts.line[mine],
        accepted=_answers(decided, code == ACCEPT),
        unsure=_answers(np.full(mine.size, True), code == UNSURE),
        others=_count_equal(verdicts.candidate)[mine],
        others_alike=_count_equal(verdicts.candidate * 4 + verdicts.verdict)[mine],
        as_agent=_answers(decided & (answer != NONE), np.where(code == ACCEPT, YES, NO) == answer),
        p_yes=p_yes,
    )


def _count_equal(keys: IntArray) -> IntArray:
    """For each key, how many others are equal to it."""
    _, index, times = np.unique(keys, return_inverse=True, return_counts=True)
    return times[index] - 1


def _answers(asked: BoolArray, answer: BoolArray) -> FloatArray:
    return np.where(asked, answer.astype(np.float64), np.nan)


def _block(series: _Series, times: dict[int, str]) -> VerdictBlock:
    known = series.p_yes[~np.isnan(series.p_yes)]
    return VerdictBlock(
        n=int(series.line.size),
        since=times.get(int(series.line[0]), ""),
        until=times.get(int(series.line[-1]), ""),
        accepted=_share(series.accepted),
        unsure=_share(series.unsure),
        with_people=share_estimate(int(series.others_alike.sum()), int(series.others.sum())),
        with_agent=_share(series.as_agent),
        p_yes=float(known.mean()) if known.size else None,
    )


def _share(answers: FloatArray) -> Estimate:
    return share_estimate(int(np.nansum(answers)), int(np.sum(~np.isnan(answers))))


def share_estimate(hits: int, n: int) -> Estimate:
    return Estimate(hits / n if n else None, *wilson(hits, n))


def equal_by_chance(blocks: Sequence[FloatArray]) -> float:
    """p-value of the chi-squared test of equal shares; 1 if there is nothing to compare."""
    from scipy.special import chdtrc

    hits = np.array([np.nansum(each) for each in blocks])
    n = np.array([np.sum(~np.isnan(each)) for each in blocks], dtype=np.float64)
    hits, n = hits[n > 0], n[n > 0]
    share = hits.sum() / n.sum() if n.size else 0.0
    if n.size < 2 or share in (0.0, 1.0):
        return 1.0
    off = np.sum((hits - n * share) ** 2 / (n * share * (1.0 - share)))
    return float(chdtrc(n.size - 1, off))
