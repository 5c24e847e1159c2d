"""Disagreements between reviewers, and which verdict is final."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sqlalchemy import ColumnElement, and_, func, or_, select

from app.core.database.tables import candidates, judgements
from app.core.errors import SessionError
from app.core.reviewer_name import MAX_NAME
from app.core.session.known_answers import not_known
from app.core.session.records import Change, Judgement, Opinion, Verdict
from app.core.session.session import Session
from app.core.session.subclass_and_fields import common_subclass, field_values
from app.core.session.velocity import best_velocity
from app.core.statistics.verdicts import ADJUDICATOR

DISAGREEMENT = "disagreement"  # flag of a candidate on which reviewers disagree
BLOCK = 20_000  # candidates looked at in one transaction

SettledBy = Literal["nobody", "one", "unanimous", "adjudicator", "disagreement"]
Between = Literal["people", "agent"]
"""Reviewers disagree with one another, or one of them with the agent."""
# Somebody who is unsure contradicts no answer of the agent.
_AGAINST_AGENT = {"YES": Verdict.REJECT, "NO": Verdict.ACCEPT}


@dataclass(frozen=True, kw_only=True)
class FinalOpinion:
    """The opinion on a candidate that is exported; `at` is empty without a verdict."""

    settled_by: SettledBy
    opinion: Opinion
    reviewers: tuple[str, ...]
    """The reviewers with this verdict; in a disagreement, all who have a verdict."""
    at: str = ""


@dataclass(frozen=True, kw_only=True)
class Dispute:
    """All opinions on a candidate on which reviewers, or a reviewer and the agent, disagree."""

    candidate_id: int
    between: tuple[Between, ...]
    judgements: tuple[Judgement, ...]
    final: FinalOpinion
    agent_verdict: str | None
    agent_p_yes: float | None
    agent_model: str

    @property
    def is_open(self) -> bool:
        """Reviewers disagree, and the adjudicator has no verdict."""
        return self.final.settled_by == "disagreement"


def final_opinion(given: Sequence[Judgement], adjudicator: str | None = None) -> FinalOpinion:
    """Combine the opinions on a candidate into the final one.

    A single verdict is final. Of several, the adjudicator's is; without one, they must all be the
    same, or the final opinion has no verdict and the flag "disagreement".
    """
    with_verdict = [each for each in given if each.opinion.verdict is not None]
    if not with_verdict:
        return FinalOpinion(settled_by="nobody", opinion=_merge_opinions(given, None), reviewers=())
    for each in with_verdict:
        if each.reviewer == adjudicator and len(with_verdict) > 1:
            return _final("adjudicator", each.opinion, [each])
    if len(with_verdict) == 1:
        return _final("one", with_verdict[0].opinion, with_verdict)
    verdicts = {each.opinion.verdict for each in with_verdict}
    if len(verdicts) == 1:
        opinion = _merge_opinions(with_verdict, with_verdict[0].opinion.verdict)
        return _final("unanimous", opinion, with_verdict)
    opinion = _merge_opinions(with_verdict, None, DISAGREEMENT)
    names = tuple(each.reviewer for each in with_verdict)
    return FinalOpinion(settled_by="disagreement", opinion=opinion, reviewers=names)


def set_adjudicator(session: Session, name: str | None) -> None:
    """Set the reviewer whose verdict settles disagreements, or None."""
    name = "" if name is None else " ".join(name.split())
    if len(name) > MAX_NAME or not name.isprintable():
        raise SessionError(f"a reviewer's name has 1 to {MAX_NAME} printable characters")
    session.set_fact(ADJUDICATOR, name)
    session.changed.emit(Change(aspect="verdict"))


def adjudicator_of(session: Session) -> str | None:
    return session.fact(ADJUDICATOR) or None


def disputes(
    session: Session, *, with_agent: bool = True, only_open: bool = False
) -> Iterator[Dispute]:
    """Iterate over disputes in list order, reading on demand.

    `only_open` excludes those that the adjudicator has settled or that involve only the agent.
    """
    adjudicator = adjudicator_of(session)
    for number in _disputed_ids(session, with_agent and not only_open):
        dispute = read_dispute(session, number, adjudicator)
        if dispute.is_open or not only_open:
            yield dispute


def read_dispute(session: Session, number: int, adjudicator: str | None) -> Dispute:
    """Read all opinions on a candidate, whether or not there is a disagreement."""
    candidate, given = session.candidate(number), tuple(session.judgements(number))
    verdicts = {each.opinion.verdict for each in given} - {None}
    against = _AGAINST_AGENT.get(candidate.agent_verdict or "")
    between: list[Between] = ["people"] if len(verdicts) > 1 else []
    return Dispute(
        candidate_id=number,
        between=(*between, "agent") if against in verdicts else tuple(between),
        judgements=given,
        final=final_opinion(given, adjudicator),
        agent_verdict=candidate.agent_verdict,
        agent_p_yes=candidate.agent_p_yes,
        agent_model=candidate.agent_model,
    )


def count_disputes(session: Session, *, with_agent: bool = True) -> int:
    return sum(1 for _ in _disputed_ids(session, with_agent))


def _disputed_ids(session: Session, with_agent: bool) -> Iterator[int]:
    """Candidates whose verdicts differ; with the agent, also those that all contradict its answer.

    They are read in blocks, so that writers never wait long.
    """
    number, verdict, after = judgements.c.candidate_id, judgements.c.verdict, 0
    query = select(number).where(verdict.is_not(None), not_known(number)).order_by(number)
    # The least and the greatest verdict in the alphabet tell: where they are the same, all are.
    first_of, answer = func.min(verdict), candidates.c.agent_verdict
    differ: ColumnElement[bool] = first_of != func.max(verdict)
    if with_agent:
        against = (and_(answer == said, first_of == by) for said, by in _AGAINST_AGENT.items())
        query = query.join(candidates, candidates.c.id == number).group_by(number, answer)
        query = query.having(or_(differ, *against))
    else:
        query = query.group_by(number).having(differ)
    while True:
        with session.database.reading() as connection:
            # Skip to the next one with an opinion: in a damaged session ids may lie far apart.
            first = connection.execute(select(func.min(number)).where(number > after)).scalar()
            if first is None:
                return
            after = first + BLOCK - 1
            found = connection.execute(query.where(number.between(first, after))).all()
        yield from (row.candidate_id for row in found)


def _final(by: SettledBy, opinion: Opinion, whose: Sequence[Judgement]) -> FinalOpinion:
    return FinalOpinion(
        settled_by=by,
        opinion=opinion,
        reviewers=tuple(each.reviewer for each in whose),
        at=max(each.at for each in whose),
    )


def _merge_opinions(given: Sequence[Judgement], verdict: Verdict | None, *flags: str) -> Opinion:
    """Merge opinions under a verdict that is already decided.

    Kept are the lowest confidence, all flags, each comment with its author, the levels of the
    sub-class that all share, the fields that have one value, and the best velocity.
    """
    if len(given) == 1:
        return replace(given[0].opinion, verdict=verdict)
    confidences = [each.opinion.confidence for each in given if each.opinion.confidence is not None]
    every = [flag for each in given for flag in each.opinion.flags]
    said = [f"{each.reviewer}: {each.opinion.comment}" for each in given if each.opinion.comment]
    fields = dict.fromkeys(pair for each in given for pair in each.opinion.fields)
    times = Counter(name for name, _ in fields)
    return Opinion(
        verdict=verdict,
        confidence=min(confidences, default=None),
        flags=tuple(dict.fromkeys([*flags, *every])),
        comment="\n".join(said),
        subclass=common_subclass(each.opinion.subclass for each in given),
        fields=field_values({name: value for name, value in fields if times[name] == 1}),
        velocity=best_velocity([v for each in given if (v := each.opinion.velocity) is not None]),
    )
