"""How well each person judges what is known: completeness, purity, and their change over a night.

A person's first verdict counts, as the answer is told after it.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from sqlalchemy import select

from agent.confidence.scores import Estimate
from app.core.database.tables import known_answers, log, reviewers
from app.core.session.known_answers import KnownAnswer, read_known_answers
from app.core.session.records import Verdict
from app.core.session.session import Session
from app.core.statistics.drift import SIGNIFICANT_P, equal_by_chance, share_estimate
from app.core.statistics.number_format import rough_percent
from app.core.statistics.verdicts import given_together

MIN_BLOCK = 8
MAX_BLOCKS = 6


@dataclass(frozen=True, kw_only=True)
class KnownBlock:
    n: int
    since: str
    until: str  # UTC, ISO 8601: of the first verdict and of the last.
    completeness: Estimate
    purity: Estimate
    correct: Estimate


@dataclass(frozen=True, kw_only=True)
class KnownFigures:
    reviewer: str
    members: int
    members_accepted: int
    others: int
    others_accepted: int
    unsure: int  # Of both kinds; they count as not accepted.
    simulated: int
    together: int  # Judged with others in one act. They count like all others: so people do judge.
    completeness: Estimate  # the share of the members that were accepted
    purity: Estimate
    """The share of members among those accepted: of what was hidden, not of the list."""
    blocks: tuple[KnownBlock, ...]
    correct_by_chance: float  # how likely chance alone makes the blocks differ so much
    wrong: int
    """So many were accepted or rejected against what is known. Which ones they are is nowhere
    written, as others may still have to judge them."""

    @property
    def words(self) -> str:
        """A sentence on drift; empty if the person is steady."""
        if not self.is_unsteady:
            return ""
        first, last = self.blocks[0].correct.value, self.blocks[-1].correct.value
        assert first is not None and last is not None
        return (
            f"Known answers were judged correctly in {rough_percent(first)} at first and "
            f"{rough_percent(last)} at last, more than chance explains."
        )

    @property
    def is_unsteady(self) -> bool:
        return len(self.blocks) > 1 and self.correct_by_chance < SIGNIFICANT_P


class _Judged(NamedTuple):
    line: int
    at: str
    verdict: str
    answer: KnownAnswer

    @property
    def is_correct(self) -> bool:
        return self.answer.is_right(self.verdict)


def known_figures(session: Session) -> tuple[KnownFigures, ...]:
    """The figures of everybody who has judged a known answer, by reviewer number."""
    found = _read(session)
    lines = {each.line: number for number, (_, judged) in found.items() for each in judged}
    together = given_together(session, lines, "verdict")
    return tuple(_figures(name, judged, together) for name, judged in found.values())


def _read(session: Session) -> dict[int, tuple[str, list[_Judged]]]:
    """The name and the first verdict on each known answer, in the order of time, by reviewer."""
    columns = (log.c[name] for name in ("id", "candidate_id", "reviewer_id", "verdict", "at"))
    query = (
        select(*columns, reviewers.c.name)
        .join(known_answers, known_answers.c.candidate_id == log.c.candidate_id)
        .join(reviewers, reviewers.c.id == log.c.reviewer_id)
        .where(log.c.action == "set", log.c.verdict.in_(list(Verdict)))
        .order_by(log.c.reviewer_id, log.c.at, log.c.id)
    )
    with session.database.reading() as connection:
        answers = read_known_answers(connection)
        rows = connection.execute(query).all()
    names: dict[int, str] = {}
    found: dict[int, dict[int, _Judged]] = defaultdict(dict)
    for row in rows:
        names[row.reviewer_id] = str(row.name)
        judged = _Judged(row.id, str(row.at), row.verdict, answers[row.candidate_id])
        found[row.reviewer_id].setdefault(row.candidate_id, judged)
    return {number: (names[number], list(judged.values())) for number, judged in found.items()}


def _figures(name: str, judged: Sequence[_Judged], together: Collection[int]) -> KnownFigures:
    members = [each for each in judged if each.answer.is_member]
    others = [each for each in judged if not each.answer.is_member]
    count = int(np.clip(len(judged) // MIN_BLOCK, 1, MAX_BLOCKS))
    edges = [round(len(judged) * number / count) for number in range(count + 1)]
    blocks = [judged[low:high] for low, high in pairwise(edges)]
    correct = [np.array([float(each.is_correct) for each in block]) for block in blocks]
    wrong = [each for each in judged if not each.is_correct and each.verdict != Verdict.UNSURE]
    return KnownFigures(
        reviewer=name,
        members=len(members),
        members_accepted=_accepted(members),
        others=len(others),
        others_accepted=_accepted(others),
        unsure=sum(each.verdict == Verdict.UNSURE for each in judged),
        simulated=sum(each.answer.is_simulated for each in judged),
        together=sum(each.line in together for each in judged),
        completeness=_completeness(judged),
        purity=_purity(judged),
        blocks=tuple(_block(block) for block in blocks),
        correct_by_chance=equal_by_chance(correct),
        wrong=len(wrong),
    )


def _block(judged: Sequence[_Judged]) -> KnownBlock:
    return KnownBlock(
        n=len(judged),
        since=judged[0].at,
        until=judged[-1].at,
        completeness=_completeness(judged),
        purity=_purity(judged),
        correct=share_estimate(sum(each.is_correct for each in judged), len(judged)),
    )


def _completeness(judged: Sequence[_Judged]) -> Estimate:
    members = [each for each in judged if each.answer.is_member]
    return share_estimate(_accepted(members), len(members))


def _purity(judged: Sequence[_Judged]) -> Estimate:
    accepted = [each for each in judged if each.verdict == Verdict.ACCEPT]
    return share_estimate(sum(each.answer.is_member for each in accepted), len(accepted))


def _accepted(judged: Sequence[_Judged]) -> int:
    return sum(each.verdict == Verdict.ACCEPT for each in judged)
