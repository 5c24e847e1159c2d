"""The data of the report, gathered before any of it is formatted: numbers, and single objects."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from sqlalchemy import case, select

from agent.errors import WorkbenchError
from agent.spectra.spectrum import Spectrum, Window
from agent.trajectory.trajectory import Step, Trajectory
from app.core.database.tables import candidates, judgements
from app.core.inspections.store import inspections_of
from app.core.queue.sql_conditions import against_agent
from app.core.session.known_answers import not_known
from app.core.session.provenance import Provenance, SimulatedCount, provenance, simulated_of
from app.core.session.records import Candidate, Verdict
from app.core.session.session import Session
from app.core.statistics import adjudication, summary
from app.core.statistics.agents import AgentVerdicts
from app.core.statistics.calibration import CalibrationSample, calibration_sample
from app.core.statistics.cut_plan import CutPlan, plan_cut
from app.core.statistics.verdicts import ACCEPT, Settled, Verdicts, settled

Read = Callable[[Candidate], Spectrum]

MOST_CARDS = 24
MOST_DISPUTES = 15  # between people, and as many between people and agent
CHUNK = 500
LONGEST_LABEL = 80

_WORD = re.compile(r"\w+")
PRECISION = 0.9
RECALL = 0.95
DELTA = 0.1


@dataclass(frozen=True, eq=False, kw_only=True)
class KeyLook:
    """The zoom window an agent's answer rests on."""

    label: str
    range: Window  # angstrom, observed frame


@dataclass(frozen=True, eq=False, kw_only=True)
class EvidenceCard:
    """One accepted object, with its spectrum or the reason why there is none."""

    candidate: Candidate
    final: adjudication.FinalOpinion
    spectrum: Spectrum | None
    fault: str
    look: KeyLook | None
    is_simulated: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class Difference:
    """A candidate on which opinions differ, with all opinions; `reasons` are the agent's."""

    candidate: Candidate
    dispute: adjudication.Dispute
    reasons: str
    is_simulated: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class ReliabilityContent:
    figures: summary.AgentFigures
    own: CalibrationSample
    plan: CutPlan


@dataclass(frozen=True, eq=False, kw_only=True)
class Content:
    provenance: Provenance
    statistics: summary.Statistics
    reliabilities: tuple[ReliabilityContent, ...]
    """Models with p(YES), those with most blind verdicts first."""
    cards: tuple[EvidenceCard, ...]
    people_differ: tuple[Difference, ...]
    disputes: int  # all disagreements between people, including those not shown
    agent_differs: tuple[Difference, ...]
    simulated: SimulatedCount


def gather_content(session: Session, read: Read) -> Content:
    all_verdicts = summary.read_all_verdicts(session)
    found = summary.statistics_of(session, all_verdicts)
    pairs = zip(all_verdicts.agents, found.agents, strict=True)
    reliabilities = [_reliability(session, all_verdicts.verdicts, *pair) for pair in pairs]
    known = [each for each in reliabilities if each is not None]
    cards = accepted_cards(session, settled(all_verdicts.verdicts), read)
    between = people_differ(session)
    against = agent_differs(session)
    met = {each.candidate.id: each.is_simulated for each in cards if each.spectrum is not None}
    met |= {each.candidate.id: True for each in (*between, *against) if each.is_simulated}
    return Content(
        provenance=provenance(session),
        statistics=found,
        reliabilities=tuple(sorted(known, key=lambda each: -len(each.own.judged))),
        cards=cards,
        people_differ=between,
        disputes=adjudication.count_disputes(session, with_agent=False),
        agent_differs=against,
        simulated=simulated_of(session, met, read),
    )


def _reliability(
    session: Session, verdicts: Verdicts, agent: AgentVerdicts, figures: summary.AgentFigures
) -> ReliabilityContent | None:
    own = calibration_sample(verdicts, agent)
    if not len(own.judged) and not own.unjudged.size:
        return None
    kept, _ = summary.stored_calibration(session, agent)
    plan = plan_cut(own, kept, precision=PRECISION, recall=RECALL, delta=DELTA)
    return ReliabilityContent(figures=figures, own=own, plan=plan)


def accepted_cards(session: Session, holds: Settled, read: Read) -> tuple[EvidenceCard, ...]:
    """Most confident first: by the reviewer's confidence, then by the agent's p(YES)."""
    accepted = set(holds.candidate[holds.verdict == ACCEPT].tolist())
    query = (
        select(judgements.c.candidate_id)
        .join(candidates, candidates.c.id == judgements.c.candidate_id)
        .where(judgements.c.verdict == Verdict.ACCEPT)
        .order_by(
            judgements.c.confidence.desc().nulls_last(),
            candidates.c.agent_p_yes.desc().nulls_last(),
            judgements.c.candidate_id,
        )
    )
    shown: dict[int, None] = {}
    with session.database.reading() as connection:
        for number in connection.execute(query).scalars():
            if number in accepted:
                shown[number] = None
            if len(shown) == MOST_CARDS:
                break
    return tuple(_card(session, each, read) for each in session.candidates(shown))


def people_differ(session: Session) -> tuple[Difference, ...]:
    """Disagreements between people, unsettled ones first."""
    found = list(islice(adjudication.disputes(session, only_open=True), MOST_DISPUTES))
    ended = (each for each in adjudication.disputes(session, with_agent=False) if not each.is_open)
    found += islice(ended, MOST_DISPUTES - len(found))
    return tuple(_difference(session, each) for each in found)


def agent_differs(session: Session) -> tuple[Difference, ...]:
    """Candidates on which people agree and the agent does not, most confident agent first."""
    verdict, p = judgements.c.verdict, candidates.c.agent_p_yes
    surprise = case((verdict == Verdict.ACCEPT, 1.0 - p), else_=p)
    query = (
        select(candidates.c.id)
        .join(judgements, judgements.c.candidate_id == candidates.c.id)
        .where(against_agent(verdict), not_known(candidates.c.id))
        .order_by(surprise.desc().nulls_last(), candidates.c.id)
        .limit(CHUNK)
    )
    numbers = dict.fromkeys(session.database.scalars(query))
    adjudicator = adjudication.adjudicator_of(session)
    found = (adjudication.read_dispute(session, number, adjudicator) for number in numbers)
    kept = [each for each in found if "people" not in each.between][:MOST_DISPUTES]
    return tuple(_difference(session, each) for each in kept)


def key_look(trajectory: Trajectory) -> KeyLook | None:
    """The window whose label shares most words with the answer; the first of several."""
    reasons = set(_WORD.findall(trajectory.reasons.casefold()))
    best: Step | None = None
    most = -1
    for look in trajectory.looks:
        named = len(reasons.intersection(_WORD.findall(look.label.casefold())))
        if named > most:
            best, most = look, named
    if best is None or best.range is None:
        return None
    low, high = sorted(best.range)
    stretch = 1.0 + (trajectory.spectrum.z or 0.0)
    return KeyLook(label=best.label[:LONGEST_LABEL], range=(low * stretch, high * stretch))


def _card(session: Session, candidate: Candidate, read: Read) -> EvidenceCard:
    spectrum, fault = None, ""
    try:
        spectrum = read(candidate)
    except (WorkbenchError, OSError) as error:
        fault = str(error)
    trajectory = _trajectory(session, candidate)
    given = session.judgements(candidate.id)
    final = adjudication.final_opinion(given, adjudication.adjudicator_of(session))
    return EvidenceCard(
        candidate=candidate,
        final=final,
        spectrum=spectrum,
        fault=fault,
        look=None if trajectory is None else key_look(trajectory),
        is_simulated=_is_simulated(spectrum, trajectory),
    )


def _difference(session: Session, dispute: adjudication.Dispute) -> Difference:
    candidate = session.candidate(dispute.candidate_id)
    trajectory = _trajectory(session, candidate)
    return Difference(
        candidate=candidate,
        dispute=dispute,
        reasons="" if trajectory is None else trajectory.plain_reasons,
        is_simulated=_is_simulated(None, trajectory),
    )


def _trajectory(session: Session, candidate: Candidate) -> Trajectory | None:
    """The inspection behind the candidate's agent verdict; None if it cannot be read."""
    with suppress(WorkbenchError):
        for each in inspections_of(session, candidate.id):
            if each.trajectory.model.name == candidate.agent_model:
                return each.trajectory
    return None


def _is_simulated(spectrum: Spectrum | None, trajectory: Trajectory | None) -> bool:
    if spectrum is not None and spectrum.simulated:
        return True
    return trajectory is not None and trajectory.spectrum.simulated
