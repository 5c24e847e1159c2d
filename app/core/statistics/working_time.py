"""How each person works: what is left to them, their pace by the hour, the time by confidence."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select

from agent.confidence.scores import Estimate
from app.core.database.paging import pages
from app.core.database.tables import log
from app.core.session.assignments import Part, parts
from app.core.session.known_answers import known_ids
from app.core.session.records import MAX_CONFIDENCE, Verdict
from app.core.session.session import MAX_IDS, Session
from app.core.statistics.drift import share_estimate
from app.core.statistics.pace import Pace, finite_or_none, pace_of

MAX_HOURS = 48
HOUR = len("2026-01-01T00")  # characters of a timestamp that tell its hour
PAGE = 40 * MAX_IDS  # lines of the log; a writer waits while one page is read


def local_time(at: str, layout: str = "%Y-%m-%d %H:%M:%S") -> str:
    """A stored time by the clock of this computer; empty for one from a damaged log."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime(layout)
    except (ValueError, OverflowError, OSError):  # year 1 is out of range in some time zones
        return ""


@dataclass(frozen=True, kw_only=True)
class HourFigures:
    """Decisions of one person within one hour."""

    hour: str  # UTC, as 2026-01-31T22
    decisions: int
    typical_s: float | None  # the median of the seconds for one
    accepted: Estimate  # the share of ACCEPT among ACCEPT and REJECT, without known answers

    @property
    def local_hour(self) -> str:
        """The hour by the clock of this computer; empty for one from a damaged log."""
        return local_time(f"{self.hour}:00+00:00", "%Y-%m-%d %H:00")


@dataclass(frozen=True, kw_only=True)
class ConfidenceFigures:
    """Decisions of one person with one confidence."""

    confidence: int | None
    decisions: int
    typical_s: float | None


@dataclass(frozen=True, kw_only=True)
class WorkingTime:
    """One person's hours; `assigned` is None where nothing is shared out to them."""

    reviewer: str
    assigned: int | None
    left: int  # of what they were assigned, else of the whole list
    second_left: int  # second opinions that they have still to give
    left_s: float | None  # seconds for what is left, at their pace
    accepted: Estimate
    hours: tuple[HourFigures, ...]  # the newest MAX_HOURS with a decision, oldest first
    confidences: tuple[ConfidenceFigures, ...]  # from the surest to none given


class _Decision(NamedTuple):
    at: str
    verdict: str
    confidence: int | None
    seconds: float | None
    is_known: bool


@dataclass(frozen=True, kw_only=True)
class ReviewerCounts:
    name: str
    accepted: int
    rejected: int
    unsure: int
    blind: int  # verdicts given before an agent's result was shown
    pace: Pace

    @property
    def judged(self) -> int:
        return self.accepted + self.rejected + self.unsure


def working_times(
    session: Session, candidates: int, people: Mapping[int, ReviewerCounts]
) -> tuple[WorkingTime, ...]:
    """Of everybody with a verdict, who are given by their numbers, or with an assignment."""
    decisions = _decisions(session)
    assigned = {part.reviewer: part for part in parts(session)}
    found = [
        _working_time(each, candidates, assigned.pop(each.name, None), decisions.get(number, []))
        for number, each in people.items()
    ]
    none = {"accepted": 0, "rejected": 0, "unsure": 0, "blind": 0}
    for name, part in assigned.items():
        idle = ReviewerCounts(name=name, **none, pace=pace_of([]))
        found.append(_working_time(idle, candidates, part, []))
    return tuple(found)


def _working_time(
    done: ReviewerCounts, candidates: int, part: Part | None, decisions: Sequence[_Decision]
) -> WorkingTime:
    left = max(0, candidates - done.judged) if part is None else part.left
    return WorkingTime(
        reviewer=done.name,
        assigned=None if part is None else part.assigned,
        left=left,
        second_left=0 if part is None else part.second_left,
        left_s=done.pace.seconds_for(left) if left else None,
        accepted=share_estimate(done.accepted, done.accepted + done.rejected),
        hours=tuple(_hours(decisions)),
        confidences=tuple(_confidences(decisions)),
    )


def _hours(decisions: Sequence[_Decision]) -> Iterable[HourFigures]:
    by_hour: dict[str, list[_Decision]] = defaultdict(list)
    for each in decisions:
        by_hour[each.at[:HOUR]].append(each)
    for hour in sorted(by_hour)[-MAX_HOURS:]:
        within = by_hour[hour]
        found = [each.verdict for each in within if not each.is_known]
        accepted, rejected = found.count(Verdict.ACCEPT), found.count(Verdict.REJECT)
        yield HourFigures(
            hour=hour,
            decisions=len(within),
            typical_s=pace_of([(each.at, each.seconds) for each in within]).typical,
            accepted=share_estimate(accepted, accepted + rejected),
        )


def _confidences(decisions: Sequence[_Decision]) -> Iterable[ConfidenceFigures]:
    for confidence in (*range(MAX_CONFIDENCE, -1, -1), None):
        within = [each for each in decisions if each.confidence == confidence]
        # The time between decisions tells nothing here, as others may lie between them.
        timed = [(each.at, each.seconds) for each in within if each.seconds is not None]
        if within:
            yield ConfidenceFigures(
                confidence=confidence, decisions=len(within), typical_s=pace_of(timed).typical
            )


def _decisions(session: Session) -> dict[int, list[_Decision]]:
    """All verdicts that were given, by reviewer, read in pages so that no writer waits long."""
    columns = ("id", "reviewer_id", "at", "verdict", "confidence", "seconds", "candidate_id")
    query = select(*(log.c[name] for name in columns))
    query = query.where(log.c.action == "set", log.c.verdict.in_(list(Verdict)))
    known = known_ids(session)
    found: dict[int, list[_Decision]] = defaultdict(list)
    for rows in pages(session.database, query, log.c.id, at_once=PAGE):
        for row in rows:
            found[row.reviewer_id].append(
                _Decision(
                    at=str(row.at),
                    verdict=row.verdict,
                    confidence=row.confidence,
                    seconds=finite_or_none(row.seconds),
                    is_known=row.candidate_id in known,
                )
            )
    return found
