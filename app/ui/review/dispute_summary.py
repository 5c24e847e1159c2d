"""Disagreements between opinions, read outside the GUI thread."""

from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Literal

from agent.errors import WorkbenchError
from agent.trajectory.trajectory import Trajectory
from app.core.inspections.store import Confusion, compare_models, inspections_of, models_of
from app.core.queue import QueueRow, matching, row_of
from app.core.queue.filters import Disagree
from app.core.report.evidence import KeyLook, key_look
from app.core.session.session import Session
from app.core.statistics.adjudication import Dispute, adjudicator_of, disputes, read_dispute

Between = Literal["people", "agent", "agents"]

MAX_DISPUTES = 300  # disputes listed on the page
MAX_PAIRS = 3

AgentOpinion = tuple[Trajectory, KeyLook | None]
"""An inspection, and the look that its answer is based on."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DisputeEntry:
    row: QueueRow
    dispute: Dispute

    @property
    def id(self) -> int:
        return self.row.candidate.id


@dataclass(frozen=True, eq=False)
class DisputeSummary:
    between: Between
    disputes: tuple[DisputeEntry, ...]
    models: tuple[Confusion, ...] = ()
    """Comparisons of pairs of models that have inspected the same objects."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DisputeDetails:
    candidate_id: int
    dispute: Dispute
    agents: tuple[AgentOpinion, ...]


def disputes_between(
    session: Session, between: Between, *, only_open: bool = False
) -> DisputeSummary:
    """Disputes in list order, at most MAX_DISPUTES. `only_open` applies to people only."""
    adjudicator = adjudicator_of(session)
    if between == "agents":
        rows = islice(matching(session, Disagree("agents")), MAX_DISPUTES)
        entries = (
            DisputeEntry(row=each, dispute=read_dispute(session, each.candidate.id, adjudicator))
            for each in rows
        )
        pairs = islice(combinations(models_of(session), 2), MAX_PAIRS)
        found = (compare_models(session, first, second) for first, second in pairs)
        return DisputeSummary(between, tuple(entries), tuple(each for each in found if each.n))
    candidates = disputes(session, with_agent=between == "agent", only_open=only_open)
    matches = islice((each for each in candidates if between in each.between), MAX_DISPUTES)
    entries = (
        DisputeEntry(row=row_of(session, each.candidate_id), dispute=each) for each in matches
    )
    return DisputeSummary(between, tuple(entries))


def dispute_details(session: Session, candidate_id: int) -> DisputeDetails:
    """All opinions on one candidate, and each model's evidence."""
    dispute = read_dispute(session, candidate_id, adjudicator_of(session))
    agents: tuple[AgentOpinion, ...] = ()
    with suppress(WorkbenchError):  # a session from elsewhere may hold a damaged record
        found = inspections_of(session, candidate_id)
        agents = tuple((each.trajectory, key_look(each.trajectory)) for each in found)
    return DisputeDetails(candidate_id=candidate_id, dispute=dispute, agents=agents)
