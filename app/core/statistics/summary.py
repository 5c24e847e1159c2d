"""All statistics of a session in one record, for `spec-o3 stats` and the report.

The field and property names are the keys of the JSON output.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
from sqlalchemy import func, select

from agent.confidence.calibration import Calibration
from agent.confidence.judged import ConfidenceError
from agent.confidence.scores import wilson
from app.core.database.tables import OPPOSED, candidates, judgements, log, raw_sql
from app.core.session.known_answers import not_known
from app.core.session.provenance import found_choice
from app.core.session.records import Verdict
from app.core.session.session import Session
from app.core.statistics.agents import (
    NO,
    YES,
    AgentVerdicts,
    AgreementWithAgent,
    compare_all_reviewers,
    compare_each_reviewer,
    read_agents,
)
from app.core.statistics.calibration import (
    Reliability,
    calibration_sample,
    calibration_sentence,
    newest_calibration,
    reliability,
)
from app.core.statistics.drift import Drift, drift
from app.core.statistics.known_figures import KnownFigures, known_figures
from app.core.statistics.pace import recent_pace
from app.core.statistics.people import (
    ReviewerAgreement,
    Subclasses,
    reviewer_agreement,
    subclass_statistics,
)
from app.core.statistics.repeats import Consistency, consistency
from app.core.statistics.verdicts import (
    ACCEPT,
    NONE,
    REJECT,
    UNSURE,
    CodeArray,
    Verdicts,
    read_verdicts,
    settled,
)
from app.core.statistics.working_time import ReviewerCounts, WorkingTime, working_times


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Numbers of candidates. `disputed`: reviewers disagree, and nobody has settled it."""

    candidates: int
    accepted: int
    rejected: int
    unsure: int
    disputed: int
    unreadable: int  # with an unreadable spectrum, judged or not
    inspected: int  # by any agent
    members_disagree: int  # where the members of a panel contradict each other

    @property
    def judged(self) -> int:
        return self.accepted + self.rejected + self.unsure + self.disputed

    @property
    def open(self) -> int:
        # A damaged session may have verdicts on candidates that are gone.
        return max(0, self.candidates - self.judged)


@dataclass(frozen=True, kw_only=True)
class AgentFigures:
    """What one model did in this session, and its scores, taking the reviewers as right."""

    model: str
    model_sha256: str
    inspected: int
    yes: int
    no: int
    undecided: int  # Inspections without a verdict; `failed` counts those with an error.
    failed: int
    ill_formed: int
    people: AgreementWithAgent
    calibration: str | None  # method of the newest calibration stored for this version of the model
    calibration_state: str  # the calibration as a sentence
    judged: int  # Candidates judged blind that have a p(YES); the basis of the reliability.
    reliability: Reliability | None


@dataclass(frozen=True, kw_only=True)
class Statistics:
    session: str
    task: str
    counts: Counts
    reviewers: tuple[ReviewerCounts, ...]
    working: tuple[WorkingTime, ...]
    """Of everybody with a verdict or an assignment: what is left, pace, time by confidence."""
    known: tuple[KnownFigures, ...]
    """Of everybody who judged a hidden candidate with a known answer."""
    people: ReviewerAgreement
    with_agents: tuple[AgreementWithAgent, ...]  # every reviewer with every model
    repeats: tuple[Consistency, ...]
    drift: tuple[Drift, ...]
    agents: tuple[AgentFigures, ...]
    subclasses: Subclasses
    chosen: str = ""
    """How the candidates were chosen from a survey, and what share of them people accepted."""
    orders: str = ""
    """How many were accepted in each order of the queue, if it was not always that of the list."""


@dataclass(frozen=True, eq=False)
class AllVerdicts:
    """The verdicts of all reviewers and agents, read once."""

    verdicts: Verdicts
    agents: tuple[AgentVerdicts, ...]


def read_all_verdicts(session: Session) -> AllVerdicts:
    return AllVerdicts(read_verdicts(session), read_agents(session))


def statistics(session: Session) -> Statistics:
    return statistics_of(session, read_all_verdicts(session))


def statistics_of(session: Session, all_verdicts: AllVerdicts) -> Statistics:
    verdicts, agents = all_verdicts.verdicts, all_verdicts.agents
    alone = verdicts.one_by_one
    main = max(agents, key=len, default=None)
    counts = _counts(session, all_verdicts)
    people = {number: _reviewer(session, verdicts, number) for number in verdicts.reviewers}
    return Statistics(
        session=session.name,
        task=session.task.name,
        counts=counts,
        reviewers=tuple(people.values()),
        working=working_times(session, counts.candidates, people),
        known=known_figures(session),
        people=reviewer_agreement(alone),
        with_agents=tuple(each for agent in agents for each in compare_each_reviewer(alone, agent)),
        repeats=consistency(session),
        drift=tuple(drift(session, alone, number, main) for number in alone.reviewers),
        agents=tuple(_agent(session, verdicts, agent) for agent in agents),
        subclasses=subclass_statistics(session),
        chosen=_chosen(session, counts),
        orders=_orders(session),
    )


def _orders(session: Session) -> str:
    query = (
        select(log.c.order_met, judgements.c.verdict, func.count())
        .join(judgements, judgements.c.log_id == log.c.id)
        .where(log.c.order_met != "", judgements.c.verdict.is_not(None))
        .where(not_known(judgements.c.candidate_id))
        .group_by(log.c.order_met, judgements.c.verdict)
    )
    given: Counter[str] = Counter()
    accepted: Counter[str] = Counter()
    for met, verdict, count in session.database.rows(query):
        (name,) = re.findall(r"^[a-z_]*", str(met))  # without direction, column or what it learns
        given[name] += count
        accepted[name] += count * (verdict == Verdict.ACCEPT)
    if not given.keys() - {"list"}:
        return ""
    shares = ", ".join(f"{name} {accepted[name]:,} of {n:,}" for name, n in sorted(given.items()))
    return (
        f"Accepted by order of the queue: {shares}; an order with the likeliest first has "
        "another share of them than the list."
    )


def _chosen(session: Session, counts: Counts) -> str:
    """The estimate of the choice beside what people found."""
    about = found_choice(session)
    if about is None:
        return ""
    text = f"chosen: {about.get('sentence', '')}"
    judged = counts.accepted + counts.rejected
    if judged:
        low, high = wilson(counts.accepted, judged)
        text += (
            f"; people accepted {100 * counts.accepted / judged:.1f} % ({100 * low:.1f} to "
            f"{100 * high:.1f}) of the {judged:,} that they judged"
        )
    return text


def stored_calibration(session: Session, agent: AgentVerdicts) -> tuple[Calibration | None, str]:
    """The newest calibration of this version of the model, or why it cannot be used."""
    try:
        return newest_calibration(session, agent.model, agent.model_sha256), ""
    except ConfidenceError as error:
        return None, f"Not calibrated: {error}"


def to_plain(value: Any) -> Any:
    """Convert records to JSON values, with their properties and with null for NaN."""
    if is_dataclass(value) and not isinstance(value, type):
        names = [each.name for each in fields(value)]
        names += [name for name, each in vars(type(value)).items() if isinstance(each, property)]
        return {name: to_plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(key): to_plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def _counts(session: Session, all_verdicts: AllVerdicts) -> Counts:
    code = settled(all_verdicts.verdicts).verdict
    every = select(func.count()).select_from(candidates).where(not_known(candidates.c.id))
    with session.database.reading() as connection:
        count = connection.execute(every).scalar_one()
        unreadable = connection.execute(every.where(candidates.c.fault != "")).scalar_one()
        opposed = connection.execute(every.where(raw_sql(OPPOSED))).scalar_one()
    seen = [agent.candidate for agent in all_verdicts.agents]
    return Counts(
        candidates=count,
        accepted=_count(code, ACCEPT),
        rejected=_count(code, REJECT),
        unsure=_count(code, UNSURE),
        disputed=_count(code, NONE),
        unreadable=unreadable,
        members_disagree=opposed,
        inspected=int(np.count_nonzero(np.diff(np.sort(np.concatenate([[0], *seen]))))),
    )


def _reviewer(session: Session, verdicts: Verdicts, number: int) -> ReviewerCounts:
    mine = verdicts.of(number)
    code = verdicts.verdict[mine]
    return ReviewerCounts(
        name=verdicts.names[number],
        accepted=_count(code, ACCEPT),
        rejected=_count(code, REJECT),
        unsure=_count(code, UNSURE),
        blind=int(np.sum(verdicts.blind[mine] == code)),
        pace=recent_pace(session, verdicts.names[number]),
    )


def _agent(session: Session, verdicts: Verdicts, agent: AgentVerdicts) -> AgentFigures:
    judged = calibration_sample(verdicts, agent).judged
    stored, fault = stored_calibration(session, agent)
    return AgentFigures(
        model=agent.model,
        model_sha256=agent.model_sha256,
        inspected=len(agent),
        yes=_count(agent.verdict, YES),
        no=_count(agent.verdict, NO),
        undecided=_count(agent.verdict, NONE),
        failed=agent.failed,
        ill_formed=agent.ill_formed,
        people=compare_all_reviewers(verdicts.one_by_one, agent),
        calibration=None if stored is None else stored.method,
        calibration_state=fault or calibration_sentence(stored, judged),
        judged=len(judged),
        reliability=reliability(judged),
    )


def _count(codes: CodeArray, code: int) -> int:
    return int(np.sum(codes == code))
