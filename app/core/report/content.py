"""The data of the report, gathered before any of it is formatted."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.report import evidence
from app.core.session.provenance import Provenance, SimulatedCount, provenance, simulated_of
from app.core.session.session import Session
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
    figures: AgentFigures
    own: CalibrationSample
    plan: CutPlan


@dataclass(frozen=True, eq=False, kw_only=True)
class Content:
    provenance: Provenance
    statistics: Statistics
    reliabilities: tuple[ReliabilityContent, ...]
    """Models with p(YES), those with most blind verdicts first."""
    cards: tuple[evidence.EvidenceCard, ...]
    people_differ: tuple[evidence.Difference, ...]
    disputes: int
    """All disagreements between people, including those not shown."""
    agent_differs: tuple[evidence.Difference, ...]
    simulated: SimulatedCount


def gather_content(session: Session, read: evidence.Read) -> Content:
    all_verdicts = read_all_verdicts(session)
    found = statistics_of(session, all_verdicts)
    pairs = zip(all_verdicts.agents, found.agents, strict=True)
    reliabilities = [_reliability(session, all_verdicts.verdicts, *pair) for pair in pairs]
    known = [each for each in reliabilities if each is not None]
    cards = evidence.accepted_cards(session, settled(all_verdicts.verdicts), read)
    between = evidence.people_differ(session)
    against = evidence.agent_differs(session)
    met = {each.candidate.id: each.is_simulated for each in cards if each.spectrum is not None}
    met |= {each.candidate.id: True for each in (*between, *against) if each.is_simulated}
    return Content(
        provenance=provenance(session),
        statistics=found,
        reliabilities=tuple(sorted(known, key=lambda each: -len(each.own.judged))),
        cards=cards,
        people_differ=between,
        disputes=count_disputes(session, with_agent=False),
        agent_differs=against,
        simulated=simulated_of(session, met, read),
    )


def _reliability(
    session: Session, verdicts: Verdicts, agent: AgentVerdicts, figures: AgentFigures
) -> ReliabilityContent | None:
    own = calibration_sample(verdicts, agent)
    if not len(own.judged) and not own.unjudged.size:
        return None
    kept, _ = stored_calibration(session, agent)
    plan = plan_cut(own, kept, precision=PRECISION, recall=RECALL, delta=DELTA)
    return ReliabilityContent(figures=figures, own=own, plan=plan)
