"""The agents' verdicts, and how well reviewers agree with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from sqlalchemy import case, select

from agent.confidence.scores import Agreement, Scores, agreement, binary_scores
from agent.spectra.spectrum import BoolArray, FloatArray
from app.core.database.paging import pages
from app.core.database.tables import inspections
from app.core.inspections.store import models_of
from app.core.session.known_answers import not_known
from app.core.session.session import Session
from app.core.statistics.snr_bins import SnrBin, by_snr
from app.core.statistics.verdicts import (
    ACCEPT,
    MAX_ID,
    NONE,
    PAGE,
    UNSURE,
    CodeArray,
    IntArray,
    Settled,
    Verdicts,
    common_indexes,
    number_in_range,
    read_verdicts,
    settled,
)

# A reviewer's REJECT counts as NO and ACCEPT as YES; UNSURE counts as neither.
YES_NO = ("NO", "YES")
NO, YES = range(2)


@dataclass(frozen=True, eq=False, kw_only=True)
class AgentVerdicts:
    """One model's verdicts as arrays, sorted by candidate id."""

    model: str
    model_sha256: str
    candidate: IntArray
    verdict: CodeArray  # NO, YES or NONE (no verdict)
    p_yes: FloatArray  # NaN if the model gave none
    failed: int  # inspections that ended in an error
    ill_formed: int

    def __len__(self) -> int:
        return int(self.candidate.size)


@dataclass(frozen=True, kw_only=True)
class AgreementWithAgent:
    """Agreement of one reviewer, or of the settled verdicts, with an agent.

    In the tables, rows are the reviewer's verdicts and columns the agent's.
    """

    reviewer: str  # empty for the settled verdicts of all reviewers
    model: str
    model_sha256: str
    every: Agreement
    blind: Agreement  # only verdicts given before an agent's result was shown
    seen: Agreement  # only the others, which may follow the agent
    by_snr: tuple[SnrBin[Agreement], ...]  # agreement of the blind verdicts
    scores: Scores  # scores of the agent, taking the reviewer as right
    blind_scores: Scores
    unsure: int  # Excluded verdicts: the reviewer was unsure, or reviewers disagree.
    undecided: int  # Excluded verdicts: the agent reached none.


def read_agents(session: Session) -> tuple[AgentVerdicts, ...]:
    """Read the verdicts of every model with inspections, by name."""
    return tuple(read_agent(session, each.name, each.sha256) for each in models_of(session))


def read_agent(session: Session, model: str, model_sha256: str) -> AgentVerdicts:
    number, answer = inspections.c.candidate_id, inspections.c.verdict
    is_ill_formed = ~inspections.c.well_formed & (inspections.c.stopped_by == "answer")
    query = (
        select(
            number,
            case({"NO": NO, "YES": YES}, value=answer, else_=NONE),
            number_in_range(inspections.c.p_yes, 0.0, 1.0),
            case((inspections.c.stopped_by == "error", 1), else_=0),
            case((is_ill_formed, 1), else_=0),
        )
        .where(inspections.c.model == model, inspections.c.model_sha256 == model_sha256)
        .where(number.between(1, MAX_ID), not_known(number))
    )
    found = pages(session.database, query, number, at_once=PAGE)
    columns = (np.array(list(zip(*rows, strict=True)), dtype=np.float64).T for rows in found)
    table = np.concatenate([np.empty((0, 5)), *columns])
    return AgentVerdicts(
        model=model,
        model_sha256=model_sha256,
        candidate=table[:, 0].astype(np.int64),
        verdict=table[:, 1].astype(np.int8),
        p_yes=table[:, 2],
        failed=int(table[:, 3].sum()),
        ill_formed=int(table[:, 4].sum()),
    )


def compare_each_reviewer(
    verdicts: Verdicts, agent: AgentVerdicts
) -> tuple[AgreementWithAgent, ...]:
    """Compare each reviewer with the agent; reviewers without a common candidate are excluded."""
    found = []
    for number in verdicts.reviewers:
        mine = verdicts.of(number)
        every, blind, seen = (
            Settled(verdicts.candidate[mine], codes[mine], verdicts.snr[mine])
            for codes in (verdicts.verdict, verdicts.blind, _seen(verdicts))
        )
        if common_indexes(every.candidate, agent.candidate)[0].size:
            found.append(_compare(verdicts.names[number], every, blind, seen, agent))
    return tuple(found)


def compare_all_reviewers(verdicts: Verdicts, agent: AgentVerdicts) -> AgreementWithAgent:
    """Compare the settled verdicts with the agent."""
    seen = settled(replace(verdicts, verdict=_seen(verdicts)))
    return _compare("", settled(verdicts), settled(verdicts, blind=True), seen, agent)


def _seen(verdicts: Verdicts) -> CodeArray:
    """The verdicts given only after an agent's result was shown; NONE for the others."""
    return np.where(verdicts.blind == NONE, verdicts.verdict, np.int8(NONE))


@dataclass(frozen=True)
class TrackRecord:
    """How often a model said what one reviewer said, where both decided."""

    agreed: int
    n: int


def track_records(session: Session, reviewer: str) -> dict[tuple[str, str], TrackRecord]:
    """The record of every model with this reviewer, by name and hash; without intervals, so fast.

    A model that has decided nothing that the reviewer judged is left out.
    """
    verdicts = read_verdicts(session).one_by_one
    number = next((each for each, name in verdicts.names.items() if name == reviewer), None)
    if number is None:
        return {}
    mine = verdicts.of(number)
    person = Settled(verdicts.candidate[mine], verdicts.verdict[mine], verdicts.snr[mine])
    found = {}
    for agent in read_agents(session):
        both = _overlap(person, agent).decided()
        if both.answer.size:
            agreed = int(np.sum((both.person == ACCEPT) == (both.answer == YES)))
            found[agent.model, agent.model_sha256] = TrackRecord(agreed, int(both.answer.size))
    return found


def _compare(
    name: str, every: Settled, blind: Settled, seen: Settled, agent: AgentVerdicts
) -> AgreementWithAgent:
    overlap = _overlap(every, agent)
    decided, honest = overlap.decided(), _overlap(blind, agent).decided()
    agreement_all, agreement_blind = decided.agreement(), honest.agreement()
    return AgreementWithAgent(
        reviewer=name,
        model=agent.model,
        model_sha256=agent.model_sha256,
        every=agreement_all,
        blind=agreement_blind,
        seen=_overlap(seen, agent).decided().agreement(),
        by_snr=by_snr(honest.snr, lambda some: honest.only(some).agreement()),
        scores=binary_scores(np.array(agreement_all.counts)),
        blind_scores=binary_scores(np.array(agreement_blind.counts)),
        unsure=int(np.sum(~overlap.is_sure())),
        undecided=int(np.sum(overlap.is_sure() & (overlap.answer == NONE))),
    )


class _Overlap(NamedTuple):
    """Verdict codes of a reviewer and an agent on their common candidates."""

    person: CodeArray
    answer: CodeArray
    snr: FloatArray

    def is_sure(self) -> BoolArray:
        return np.not_equal(self.person, NONE) & np.not_equal(self.person, UNSURE)

    def decided(self) -> _Overlap:
        """The candidates on which both say YES or NO."""
        return self.only(self.is_sure() & (self.answer != NONE))

    def only(self, kept: BoolArray) -> _Overlap:
        return _Overlap(self.person[kept], self.answer[kept], self.snr[kept])

    def agreement(self) -> Agreement:
        """Of candidates on which both decided."""
        person = [YES_NO[code] for code in (self.person == ACCEPT).astype(int).tolist()]
        return agreement(person, [YES_NO[code] for code in self.answer.tolist()], YES_NO)


def _overlap(person: Settled, agent: AgentVerdicts) -> _Overlap:
    mine, its = common_indexes(person.candidate, agent.candidate)
    return _Overlap(person.verdict[mine], agent.verdict[its], person.snr[mine])
