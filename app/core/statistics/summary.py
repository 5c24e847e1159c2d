"""All numbers of a session in one record: what `spec-o3 stats` and the report say."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
from sqlalchemy import func, select

from agent.confidence.calibration import Calibration
from agent.confidence.judged import ConfidenceError
from app.core.database.tables import candidates
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
from app.core.statistics.pace import Pace, recent_pace
from app.core.statistics.people import ReviewerAgreement, reviewer_agreement
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


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Candidates, each once. `disputed`: people differ, and nobody has settled it."""

    candidates: int
    accepted: int
    rejected: int
    unsure: int
    disputed: int
    unreadable: int
    """Whose spectrum could not be read; judged or not."""
    inspected: int
    """By any agent."""

    @property
    def judged(self) -> int:
        return self.accepted + self.rejected + self.unsure + self.disputed

    @property
    def open(self) -> int:
        return self.candidates - self.judged


@dataclass(frozen=True, kw_only=True)
class ReviewerCounts:
    """The verdicts of one person that stand."""

    name: str
    accepted: int
    rejected: int
    unsure: int
    blind: int
    """Of all of them: given before anything of an agent's opinion was seen."""
    pace: Pace

    @property
    def judged(self) -> int:
        return self.accepted + self.rejected + self.unsure


@dataclass(frozen=True, kw_only=True)
class AgentFigures:
    """What one model did here, and how good it is where people are right."""

    model: str
    model_sha256: str
    inspected: int
    yes: int
    no: int
    undecided: int
    """Without a verdict; of them `failed` ended in an error."""
    failed: int
    ill_formed: int
    people: AgreementWithAgent
    calibration: str | None
    """The method of the newest one kept in the session for this very version."""
    calibration_state: str
    """The same in words."""
    judged: int
    """Candidates judged blind of which it tells p(YES): what the curve rests on."""
    reliability: Reliability | None


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """All of it."""

    session: str
    task: str
    counts: Counts
    reviewers: tuple[ReviewerCounts, ...]
    people: ReviewerAgreement
    with_agents: tuple[AgreementWithAgent, ...]
    """Each person beside each model."""
    repeats: tuple[Consistency, ...]
    drift: tuple[Drift, ...]
    agents: tuple[AgentFigures, ...]

    def to_json(self) -> str:
        """One object; what is not defined is null."""
        return json.dumps(to_plain(self), ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True, eq=False)
class AllVerdicts:
    """What everybody said, read once."""

    verdicts: Verdicts
    agents: tuple[AgentVerdicts, ...]


def read_all_verdicts(session: Session) -> AllVerdicts:
    return AllVerdicts(read_verdicts(session), read_agents(session))


def statistics(session: Session, seed: int = 0) -> Statistics:
    return statistics_of(session, read_all_verdicts(session), seed)


def statistics_of(session: Session, said: AllVerdicts, seed: int = 0) -> Statistics:
    verdicts, agents = said.verdicts, said.agents
    main = max(agents, key=len, default=None)
    return Statistics(
        session=session.name,
        task=session.task.name,
        counts=_counts(session, said),
        reviewers=tuple(_reviewer(session, verdicts, number) for number in verdicts.reviewers),
        people=reviewer_agreement(verdicts, seed),
        with_agents=tuple(
            each for agent in agents for each in compare_each_reviewer(verdicts, agent, seed)
        ),
        repeats=consistency(session, seed),
        drift=tuple(drift(session, verdicts, number, main) for number in verdicts.reviewers),
        agents=tuple(_agent(session, verdicts, agent, seed) for agent in agents),
    )


def stored_calibration(session: Session, agent: AgentVerdicts) -> tuple[Calibration | None, str]:
    """The newest one of that very version, or why the one there is cannot be used."""
    try:
        return newest_calibration(session, agent.model, agent.model_sha256), ""
    except ConfidenceError as error:
        return None, f"Not calibrated: {error}"


def to_plain(value: Any) -> Any:
    """Records as JSON has them, with what follows from their fields; NaN as null."""
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


def _counts(session: Session, said: AllVerdicts) -> Counts:
    code = settled(said.verdicts).verdict
    every = select(func.count()).select_from(candidates)
    with session.database.reading() as connection:
        count = connection.execute(every).scalar_one()
        unreadable = connection.execute(every.where(candidates.c.fault != "")).scalar_one()
    seen = [agent.candidate for agent in said.agents]
    return Counts(
        candidates=count,
        accepted=_times(code, ACCEPT),
        rejected=_times(code, REJECT),
        unsure=_times(code, UNSURE),
        disputed=_times(code, NONE),
        unreadable=unreadable,
        inspected=int(np.count_nonzero(np.diff(np.sort(np.concatenate([[0], *seen]))))),
    )


def _reviewer(session: Session, verdicts: Verdicts, number: int) -> ReviewerCounts:
    mine = verdicts.of(number)
    code = verdicts.verdict[mine]
    return ReviewerCounts(
        name=verdicts.names[number],
        accepted=_times(code, ACCEPT),
        rejected=_times(code, REJECT),
        unsure=_times(code, UNSURE),
        blind=int(np.sum(verdicts.blind[mine] == code)),
        pace=recent_pace(session, verdicts.names[number]),
    )


def _agent(session: Session, verdicts: Verdicts, agent: AgentVerdicts, seed: int) -> AgentFigures:
    judged = calibration_sample(verdicts, agent).judged
    kept, fault = stored_calibration(session, agent)
    return AgentFigures(
        model=agent.model,
        model_sha256=agent.model_sha256,
        inspected=len(agent),
        yes=_times(agent.verdict, YES),
        no=_times(agent.verdict, NO),
        undecided=_times(agent.verdict, NONE),
        failed=agent.failed,
        ill_formed=agent.ill_formed,
        people=compare_all_reviewers(verdicts, agent, seed),
        calibration=None if kept is None else kept.method,
        calibration_state=fault or calibration_sentence(kept, judged),
        judged=len(judged),
        reliability=reliability(judged),
    )


def _times(codes: CodeArray, code: int) -> int:
    return int(np.sum(codes == code))
