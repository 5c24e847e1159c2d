"""Where opinions differ, gathered away from the window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Literal

from agent.errors import WorkbenchError
from agent.trajectory.trajectory import Trajectory
from app.core.inspections.store import Confusion, compare_models, inspections_of, models_of
from app.core.queue import QueueRow, matching, row_of
from app.core.queue.filters import Disagree
from app.core.report.evidence import KeyLook, key_look, plain_reasons
from app.core.session.session import Session
from app.core.statistics.adjudication import Dispute, adjudicator_of, dispute_of, disputes

Between = Literal["people", "agent", "agents"]

MOST = 300
"""Of a list: a page is for going through, not for counting."""
MOST_PAIRS = 3


@dataclass(frozen=True, eq=False, kw_only=True)
class Disputed:
    """A candidate as it stands in the list of disputes."""

    line: QueueRow
    dispute: Dispute

    @property
    def id(self) -> int:
        return self.line.candidate.id


@dataclass(frozen=True, eq=False)
class DisputeSummary:
    between: Between
    disputes: tuple[Disputed, ...]
    models: tuple[Confusion, ...] = ()
    """Between agents: each two that have inspected the same objects."""


@dataclass(frozen=True, eq=False, kw_only=True)
class AgentSaid:
    """What one model made of it, in short."""

    model: str
    verdict: str | None
    p_yes: float | None
    reasons: str
    looks: int
    look: KeyLook | None
    """The one its answer rests on."""
    stopped_by: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Details:
    of: int
    dispute: Dispute
    agents: tuple[AgentSaid, ...]


def found_between(session: Session, between: Between, *, only_open: bool = False) -> DisputeSummary:
    """In the order of the list, no more than MOST. `only_open` is for people alone."""
    adjudicator = adjudicator_of(session)
    if between == "agents":
        lines = islice(matching(session, Disagree("agents")), MOST)
        here = (
            Disputed(line=each, dispute=dispute_of(session, each.candidate.id, adjudicator))
            for each in lines
        )
        return DisputeSummary(between, tuple(here), _side_by_side(session))
    some = disputes(session, with_agent=between == "agent", only_open=only_open)
    kept = (each for each in some if between in each.between)
    return DisputeSummary(between, tuple(_with_lines(session, islice(kept, MOST))))


def _side_by_side(session: Session) -> tuple[Confusion, ...]:
    pairs = islice(combinations(models_of(session), 2), MOST_PAIRS)
    found = (compare_models(session, first, second) for first, second in pairs)
    return tuple(each for each in found if each.n)


def details(session: Session, candidate_id: int) -> Details:
    """Everybody's opinion of one candidate, and each model's evidence."""
    return Details(
        of=candidate_id,
        dispute=dispute_of(session, candidate_id, adjudicator_of(session)),
        agents=_agents(session, candidate_id),
    )


def _with_lines(session: Session, some: Iterable[Dispute]) -> Iterator[Disputed]:
    for each in some:
        yield Disputed(line=row_of(session, each.candidate_id), dispute=each)


def _agents(session: Session, candidate_id: int) -> tuple[AgentSaid, ...]:
    with suppress(WorkbenchError):  # a stranger's session may hold a damaged one
        found = inspections_of(session, candidate_id)
        return tuple(_said(each.trajectory) for each in found)
    return ()


def _said(trajectory: Trajectory) -> AgentSaid:
    return AgentSaid(
        model=trajectory.model.name,
        verdict=trajectory.verdict,
        p_yes=trajectory.p_yes,
        reasons=plain_reasons(trajectory),
        looks=len(trajectory.looks),
        look=key_look(trajectory),
        stopped_by=trajectory.stopped_by,
    )
