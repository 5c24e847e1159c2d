"""What the report tells, gathered before a word of it is set."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.provenance import Provenance, provenance
from app.core.report.evidence import (
    Difference,
    EvidenceCard,
    Read,
    accepted_cards,
    agent_differs,
    people_differ,
)
from app.core.session.session import Session
from app.core.simulated import SimulatedCount, simulated_of
from app.core.statistics.adjudication import count_disputes
from app.core.statistics.agents import AgentVerdicts
from app.core.statistics.calibration import CalibrationSample, calibration_sample
from app.core.statistics.cut_plan import CutPlan, plan_cut
from app.core.statistics.summary import (
    AgentFigures,
    Statistics,
    read_all_verdicts,
    statistics_of,
    stored_calibration,
)
from app.core.statistics.verdicts import Verdicts, settled

PRECISION = 0.9
RECALL = 0.95
DELTA = 0.1


@dataclass(frozen=True, eq=False, kw_only=True)
class ReliabilityContent:
    """How far one model can be believed here."""

    figures: AgentFigures
    own: CalibrationSample
    plan: CutPlan


@dataclass(frozen=True, eq=False, kw_only=True)
class Content:
    provenance: Provenance
    statistics: Statistics
    trusts: tuple[ReliabilityContent, ...]
    """Of the models that tell p(YES), those with most blind verdicts beside them first."""
    cards: tuple[EvidenceCard, ...]
    people_differ: tuple[Difference, ...]
    disputes: int
    """On which people differ, those shown and those not."""
    agent_differs: tuple[Difference, ...]
    simulated: SimulatedCount


def gather_content(session: Session, read: Read, seed: int = 0) -> Content:
    said = read_all_verdicts(session)
    found = statistics_of(session, said, seed)
    pairs = zip(said.agents, found.agents, strict=True)
    trusts = [_trust(session, said.verdicts, *pair) for pair in pairs]
    known = [each for each in trusts if each is not None]
    cards = accepted_cards(session, settled(said.verdicts), read)
    between = people_differ(session)
    against = agent_differs(session)
    met = {each.candidate.id: each.is_simulated for each in cards if each.spectrum is not None}
    met |= {each.candidate.id: True for each in (*between, *against) if each.is_simulated}
    return Content(
        provenance=provenance(session),
        statistics=found,
        trusts=tuple(sorted(known, key=lambda each: -len(each.own.judged))),
        cards=cards,
        people_differ=between,
        disputes=count_disputes(session, with_agent=False),
        agent_differs=against,
        simulated=simulated_of(session, met, read),
    )


def _trust(
    session: Session, verdicts: Verdicts, agent: AgentVerdicts, figures: AgentFigures
) -> ReliabilityContent | None:
    own = calibration_sample(verdicts, agent)
    if not len(own.judged) and not own.unjudged.size:
        return None
    kept, _ = stored_calibration(session, agent)
    plan = plan_cut(own, kept, precision=PRECISION, recall=RECALL, delta=DELTA)
    return ReliabilityContent(figures=figures, own=own, plan=plan)
