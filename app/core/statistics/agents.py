"""What each agent said, and how far people agree with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sqlalchemy import case, select

from agent.confidence.scores import Agreement, Scores, agreement, binary_scores
from app.core.database.tables import inspections
from app.core.inspections.store import models_of
from app.core.session.session import Session
from app.core.statistics.snr_bins import SnrBin, split_by_snr
from app.core.statistics.verdicts import (
    ACCEPT,
    NONE,
    PAGE,
    UNSURE,
    BoolArray,
    CodeArray,
    FloatArray,
    IntArray,
    Settled,
    Verdicts,
    common_indexes,
    number_in_range,
    settled,
)

YES_NO = ("NO", "YES")
"""A person's REJECT is a NO, an ACCEPT a YES; who is unsure says neither."""
NO, YES = range(2)


@dataclass(frozen=True, eq=False, kw_only=True)
class AgentVerdicts:
    """What one model made of the candidates it inspected, rising by candidate."""

    model: str
    model_sha256: str
    candidate: IntArray
    verdict: CodeArray
    """NO, YES, or NONE where it came to no verdict."""
    p_yes: FloatArray
    """NaN where it tells none."""
    failed: int
    """Inspections that ended in an error."""
    ill_formed: int

    def __len__(self) -> int:
        return int(self.candidate.size)


@dataclass(frozen=True, kw_only=True)
class AgreementWithAgent:
    """A person, or all of them as one, beside an agent; rows of the tables are the person's."""

    reviewer: str
    """Empty: what all reviewers together hold."""
    model: str
    model_sha256: str
    every: Agreement
    blind: Agreement
    """Only verdicts given before anything of an agent's opinion was shown: the honest ones."""
    by_snr: tuple[SnrBin[Agreement], ...]
    """Of blind verdicts."""
    scores: Scores
    """Of the agent, where the person is right."""
    blind_scores: Scores
    unsure: int
    """Verdicts left out because the person was unsure, or people differ."""
    undecided: int
    """Left out because the agent came to no verdict."""


def read_agents(session: Session) -> tuple[AgentVerdicts, ...]:
    """Every model that inspected something here, by name."""
    return tuple(read_agent(session, each.name, each.sha256) for each in models_of(session))


def read_agent(session: Session, model: str, model_sha256: str) -> AgentVerdicts:
    pages = list(_pages(session, model, model_sha256))
    table = np.concatenate(pages) if pages else np.empty((0, 5))
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
    verdicts: Verdicts, agent: AgentVerdicts, seed: int = 0
) -> tuple[AgreementWithAgent, ...]:
    """Each person beside the agent; those who judged nothing that it did are left out."""
    found = []
    for number in verdicts.reviewers:
        mine = verdicts.of(number)
        every, blind = (
            Settled(verdicts.candidate[mine], codes[mine], verdicts.snr[mine])
            for codes in (verdicts.verdict, verdicts.blind)
        )
        if common_indexes(every.candidate, agent.candidate)[0].size:
            found.append(_beside(verdicts.names[number], every, blind, agent, seed))
    return tuple(found)


def compare_all_reviewers(
    verdicts: Verdicts, agent: AgentVerdicts, seed: int = 0
) -> AgreementWithAgent:
    """What holds for each candidate, beside the agent."""
    return _beside("", settled(verdicts), settled(verdicts, blind=True), agent, seed)


def _beside(
    name: str, every: Settled, blind: Settled, agent: AgentVerdicts, seed: int
) -> AgreementWithAgent:
    met = _overlap(every, agent)
    plain, honest = met.plain(), _overlap(blind, agent).plain()
    alike, alike_blind = (_compared(each.person, each.said, seed) for each in (plain, honest))
    return AgreementWithAgent(
        reviewer=name,
        model=agent.model,
        model_sha256=agent.model_sha256,
        every=alike,
        blind=alike_blind,
        by_snr=tuple(
            SnrBin(
                each.low,
                each.high,
                _compared(honest.person[each.found], honest.said[each.found], seed),
            )
            for each in split_by_snr(honest.snr)
        ),
        scores=binary_scores(np.array(alike.counts), seed=seed),
        blind_scores=binary_scores(np.array(alike_blind.counts), seed=seed),
        unsure=int(np.sum(~met.is_sure())),
        undecided=int(np.sum(met.is_sure() & (met.said == NONE))),
    )


class _Overlap(NamedTuple):
    """Codes of a person and an agent over the candidates both have looked at."""

    person: CodeArray
    said: CodeArray
    snr: FloatArray

    def is_sure(self) -> BoolArray:
        return np.not_equal(self.person, NONE) & np.not_equal(self.person, UNSURE)

    def plain(self) -> _Overlap:
        """Those where both say YES or NO."""
        kept = self.is_sure() & (self.said != NONE)
        return _Overlap(*(each[kept] for each in self))


def _overlap(person: Settled, agent: AgentVerdicts) -> _Overlap:
    mine, its = common_indexes(person.candidate, agent.candidate)
    return _Overlap(person.verdict[mine], agent.verdict[its], person.snr[mine])


def _compared(person: CodeArray, said: CodeArray, seed: int) -> Agreement:
    first = [YES_NO[code] for code in (person == ACCEPT).astype(int).tolist()]
    return agreement(first, [YES_NO[code] for code in said.tolist()], YES_NO, seed=seed)


def _pages(session: Session, model: str, model_sha256: str) -> Iterator[FloatArray]:
    """Candidate, verdict, p(YES), failed, ill-formed."""
    said = inspections.c.verdict
    query = (
        select(
            inspections.c.candidate_id,
            case({"NO": NO, "YES": YES}, value=said, else_=NONE),
            number_in_range(inspections.c.p_yes, 0.0, 1.0),
            case((inspections.c.stopped_by == "error", 1), else_=0),
            case((~inspections.c.well_formed & (inspections.c.stopped_by == "answer"), 1), else_=0),
        )
        .where(inspections.c.model == model, inspections.c.model_sha256 == model_sha256)
        .order_by(inspections.c.candidate_id)
        .limit(PAGE)
    )
    after = 0
    while True:
        with session.database.reading() as connection:
            rows = connection.execute(query.where(inspections.c.candidate_id > after)).all()
        if not rows:
            return
        yield np.array(list(zip(*rows, strict=True)), dtype=np.float64).T
        after = rows[-1].candidate_id
