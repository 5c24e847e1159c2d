"""Where people differ, and whose word holds in the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sqlalchemy import ColumnElement, Select, and_, func, or_, select

from app.core.database.tables import candidates, judgements
from app.core.errors import SessionError
from app.core.session import verdict_log
from app.core.session.records import Change, Judgement, Opinion, Verdict
from app.core.session.session import Session
from app.core.statistics.verdicts import ADJUDICATOR

DISAGREEMENT = "disagreement"
"""The flag of a candidate on which people differ."""
BLOCK = 20_000

SettledBy = Literal["nobody", "one", "unanimous", "adjudicator", "disagreement"]
Between = Literal["people", "agent"]


@dataclass(frozen=True, kw_only=True)
class FinalOpinion:
    """What is exported of all opinions on one candidate. Without a verdict there is no `at`."""

    settled_by: SettledBy
    opinion: Opinion
    reviewers: tuple[str, ...]
    """Those whose verdict it is; where people differ, all who have one."""
    at: str = ""


@dataclass(frozen=True, kw_only=True)
class Dispute:
    """A candidate on which people differ, or they and the agent, with everybody's opinion."""

    candidate_id: int
    between: tuple[Between, ...]
    judgements: tuple[Judgement, ...]
    final: FinalOpinion
    agent_verdict: str | None
    agent_p_yes: float | None
    agent_model: str

    @property
    def is_open(self) -> bool:
        """People differ, and no adjudicator has spoken."""
        return self.final.settled_by == "disagreement"


def final_opinion(given: Sequence[Judgement], adjudicator: str | None = None) -> FinalOpinion:
    """One person: theirs. Several: the adjudicator's, else what all say, else no verdict and the
    flag "disagreement". Opinions without a verdict do not count."""
    with_verdict = [each for each in given if each.opinion.verdict is not None]
    if not with_verdict:
        return FinalOpinion(settled_by="nobody", opinion=_joined(given, None), reviewers=())
    for each in with_verdict:
        if each.reviewer == adjudicator and len(with_verdict) > 1:
            return _final("adjudicator", each.opinion, [each])
    if len(with_verdict) == 1:
        return _final("one", with_verdict[0].opinion, with_verdict)
    said = {each.opinion.verdict for each in with_verdict}
    if len(said) == 1:
        opinion = _joined(with_verdict, with_verdict[0].opinion.verdict)
        return _final("unanimous", opinion, with_verdict)
    opinion = _joined(with_verdict, None, DISAGREEMENT)
    names = tuple(each.reviewer for each in with_verdict)
    return FinalOpinion(settled_by="disagreement", opinion=opinion, reviewers=names)


def set_adjudicator(session: Session, name: str | None) -> None:
    """Name the reviewer whose verdict ends a disagreement; None: nobody."""
    name = "" if name is None else " ".join(name.split())
    if len(name) > verdict_log.MAX_NAME or not name.isprintable():
        raise SessionError(f"a reviewer's name is 1 to {verdict_log.MAX_NAME} printable characters")
    session.set_fact(ADJUDICATOR, name)
    session.changed.emit(Change(aspect="verdict"))


def adjudicator_of(session: Session) -> str | None:
    return session.fact(ADJUDICATOR) or None


def disputes(
    session: Session, *, after: int = 0, with_agent: bool = True, only_open: bool = False
) -> Iterator[Dispute]:
    """In the order of the list, from the candidate behind `after` on, read as it is asked for.

    `only_open`: those on which people differ and no adjudicator has spoken.
    """
    adjudicator = adjudicator_of(session)
    for number in _disputed(session, after, with_agent and not only_open):
        dispute = read_dispute(session, number, adjudicator)
        if dispute.is_open or not only_open:
            yield dispute


def read_dispute(session: Session, number: int, adjudicator: str | None) -> Dispute:
    """What everybody says of one candidate, whether they differ or not."""
    candidate, given = session.candidate(number), tuple(session.judgements(number))
    said = {each.opinion.verdict for each in given} - {None}
    against = {"YES": Verdict.REJECT, "NO": Verdict.ACCEPT}.get(candidate.agent_verdict or "")
    between: list[Between] = ["people"] if len(said) > 1 else []
    return Dispute(
        candidate_id=number,
        between=(*between, "agent") if against in said else tuple(between),
        judgements=given,
        final=final_opinion(given, adjudicator),
        agent_verdict=candidate.agent_verdict,
        agent_p_yes=candidate.agent_p_yes,
        agent_model=candidate.agent_model,
    )


def count_disputes(session: Session, *, with_agent: bool = True) -> int:
    return sum(1 for _ in _disputed(session, 0, with_agent))


def _disputed(session: Session, after: int, with_agent: bool) -> Iterator[int]:
    """Stretch by stretch, so that nobody who records a verdict waits long."""
    with session.database.reading() as connection:
        last = connection.execute(select(func.max(judgements.c.candidate_id))).scalar() or 0
    query = _query(with_agent)
    while after < last:
        here = judgements.c.candidate_id.between(after + 1, after + BLOCK)
        with session.database.reading() as connection:
            found = connection.execute(query.where(here)).all()
        yield from (row.candidate_id for row in found)
        after += BLOCK


def _query(with_agent: bool) -> Select[tuple[int]]:
    number, verdict = judgements.c.candidate_id, judgements.c.verdict
    first = func.min(verdict)  # of ACCEPT, REJECT, UNSURE
    differ: ColumnElement[bool] = first != func.max(verdict)
    query = select(number).where(verdict.is_not(None)).order_by(number)
    if not with_agent:
        return query.group_by(number).having(differ)
    said = candidates.c.agent_verdict
    against = or_(
        and_(first == Verdict.ACCEPT, said == "NO"), and_(first == Verdict.REJECT, said == "YES")
    )
    joined = query.join(candidates, candidates.c.id == number).group_by(number, said)
    return joined.having(or_(differ, against))


def _final(by: SettledBy, opinion: Opinion, whose: Sequence[Judgement]) -> FinalOpinion:
    return FinalOpinion(
        settled_by=by,
        opinion=opinion,
        reviewers=tuple(each.reviewer for each in whose),
        at=max(each.at for each in whose),
    )


def _joined(given: Sequence[Judgement], verdict: Verdict | None, *flags: str) -> Opinion:
    """What several say as one: the lowest confidence, every flag, each comment with its name."""
    if len(given) == 1:
        return replace(given[0].opinion, verdict=verdict)
    sure = [each.opinion.confidence for each in given if each.opinion.confidence is not None]
    every = [flag for each in given for flag in each.opinion.flags]
    comments = [
        f"{each.reviewer}: {each.opinion.comment}" for each in given if each.opinion.comment
    ]
    return Opinion(
        verdict=verdict,
        confidence=min(sure, default=None),
        flags=tuple(dict.fromkeys([*flags, *every])),
        comment="\n".join(comments),
    )
