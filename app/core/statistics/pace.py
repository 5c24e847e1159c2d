"""A reviewer's progress and pace."""

import math
import statistics
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Any

from sqlalchemy import Connection, Row, and_, func, literal_column, select

from app.core.database.tables import MERGED, assignments, candidates, judgements, log
from app.core.session.assignments import count_assigned, is_assigned_to
from app.core.session.records import Verdict
from app.core.session.session import Session
from app.core.session.stored_opinions import damaged
from app.core.session.verdict_log import find_reviewer
from app.core.statistics.number_format import duration

RECENT = 200  # log lines for the pace: that of today, not of last month
IDLE_S = 120.0  # a longer gap is a pause, unless it is usual for this reviewer
IDLE_FACTOR = 10.0

LEAST_S = 60.0  # less is not worth a word
KEPT = 4096


@dataclass(frozen=True, kw_only=True)
class Progress:
    total: int  # what the reviewer was assigned, else the whole list
    by_verdict: Mapping[Verdict, int]

    @property
    def done(self) -> int:
        return sum(self.by_verdict.values())

    @property
    def left(self) -> int:
        return max(0, self.total - self.done)


@dataclass(frozen=True, kw_only=True)
class Pace:
    """Seconds per decision, without pauses."""

    decisions: int  # Number of decisions measured; fewer than two give no figures.
    typical: float | None  # the median
    mean: float | None
    """The mean, which predicts the time for many decisions better than the median."""

    def seconds_for(self, left: int) -> float | None:
        """Predict the seconds for the remaining candidates."""
        return None if self.mean is None else left * self.mean


class ProgressCounter:
    """Counts a reviewer's progress once, then updates it from the new log lines only.

    Hidden candidates with a known answer count like all others.
    """

    def __init__(self, session: Session, reviewer: str | None = None) -> None:
        self.session = session
        self.reviewer = session.reviewer if reviewer is None else reviewer
        self._number: int | None = None
        self._counts: Counter[str | None] = Counter()
        self._has_merged = False
        self._last_line = 0
        self._last_candidate = 0
        self._total = 0
        self._assigned = 0
        """How many candidates the reviewer was assigned; 0 means that all are theirs."""

    def progress(self) -> Progress:
        with self.session.database.reading() as connection:
            self._count_list(connection)
            number = self._number
            if number is None or count_assigned(connection, number) != self._assigned:
                self._count_verdicts(connection)
            else:
                self._update(connection, number)
        by_verdict = {verdict: self._counts[verdict] for verdict in Verdict}
        return Progress(total=self._assigned or self._total, by_verdict=by_verdict)

    def _count_list(self, connection: Connection) -> None:
        last = connection.execute(select(func.max(candidates.c.id))).scalar() or 0
        if last != self._last_candidate:
            query = select(func.count()).select_from(candidates)
            self._total = connection.execute(query).scalar_one()
            self._last_candidate = last

    def _count_verdicts(self, connection: Connection) -> None:
        self._number = find_reviewer(connection, self.reviewer)
        if self._number is None:
            return
        self._assigned = count_assigned(connection, self._number)
        query = (
            select(judgements.c.verdict, func.count())
            .where(judgements.c.reviewer_id == self._number)
            .group_by(judgements.c.verdict)
        )
        if self._assigned:
            mine = select(assignments.c.candidate_id).where(is_assigned_to(self._number))
            query = query.where(judgements.c.candidate_id.in_(mine))
        self._counts = Counter({row[0]: row[1] for row in connection.execute(query)})
        is_theirs = log.c.reviewer_id == self._number
        newest = select(func.max(log.c.id)).where(is_theirs)
        self._last_line = connection.execute(newest).scalar() or 0
        merged = select(log.c.id).where(is_theirs, literal_column(MERGED))
        self._has_merged = connection.execute(merged.limit(1)).scalar() is not None

    def _update(self, connection: Connection, number: int) -> None:
        is_new = and_(log.c.reviewer_id == number, log.c.id > self._last_line)
        lines = connection.execute(select(log).where(is_new).order_by(log.c.id)).all()
        # Merged lines need not be in order; beside them, what is undone may not be what stood.
        if any(line.origin or (self._has_merged and line.action != "set") for line in lines):
            self._count_verdicts(connection)
            return
        for line in lines:
            self._last_line = line.id
            here = assignments.c.candidate_id == line.candidate_id
            mine = select(assignments.c.candidate_id).where(is_assigned_to(number), here)
            if self._assigned and connection.execute(mine).first() is None:
                continue
            former, present = _change(connection, line)
            self._counts[former] -= 1
            self._counts[present] += 1


def _change(connection: Connection, line: Row[Any]) -> tuple[str | None, str | None]:
    """The verdict before and after a log line."""
    if line.action == "set":
        return _verdict(connection, line.before_id), line.verdict
    target = connection.execute(select(log).where(log.c.id == line.target_id)).one_or_none()
    if target is None:
        raise damaged(f"line {line.id} of the log")
    if line.action == "undo":
        return target.verdict, line.verdict
    return _verdict(connection, target.before_id), line.verdict


def _verdict(connection: Connection, log_id: int | None) -> str | None:
    if log_id is None:
        return None
    return connection.execute(select(log.c.verdict).where(log.c.id == log_id)).scalar()


def progress(session: Session, reviewer: str | None = None) -> Progress:
    """Count a reviewer's progress; keep a `ProgressCounter` to update it after every verdict."""
    return ProgressCounter(session, reviewer).progress()


def recent_pace(session: Session, reviewer: str | None = None) -> Pace:
    """The pace of the newest decisions, from recorded seconds or the time between decisions."""
    name = session.reviewer if reviewer is None else reviewer
    with session.database.reading() as connection:
        # 0, which matches nobody, for one who has written nothing. Not all lines are decisions.
        theirs = log.c.reviewer_id == (find_reviewer(connection, name) or 0)
        newest = select(log).where(theirs).order_by(log.c.id.desc()).limit(RECENT)
        line = newest.subquery("newest")
        query = select(line.c.at, line.c.seconds)
        is_decision = (line.c.action == "set") & line.c.verdict.is_not(None)
        rows = connection.execute(query.where(is_decision)).all()
    return pace_of([(str(row.at), finite_or_none(row.seconds)) for row in rows])


def pace_of(decisions: Sequence[tuple[str, float | None]]) -> Pace:
    """The pace from times (UTC, ISO 8601) and seconds spent, in any order."""
    spent = _seconds_spent(sorted(decisions, key=lambda decision: decision[0]))
    if len(spent) < 2:
        return Pace(decisions=len(spent), typical=None, mean=None)
    idle = max(IDLE_S, IDLE_FACTOR * statistics.median(spent))
    busy = [each for each in spent if each <= idle]
    return Pace(decisions=len(busy), typical=statistics.median(busy), mean=statistics.fmean(busy))


def _seconds_spent(decisions: Sequence[tuple[str, float | None]]) -> list[float]:
    """Positive seconds of each decision, where known."""
    found: list[float] = []
    before: datetime | None = None
    for at, seconds in decisions:
        moment = _parse_time(at)
        if seconds is None and moment is not None and before is not None:
            seconds = (moment - before).total_seconds()
        if seconds is not None and seconds > 0:
            found.append(seconds)
        before = moment
    return found


def finite_or_none(value: object) -> float | None:
    """None for anything but a finite number; an untrusted session may contain anything."""
    return value if isinstance(value, float | int) and math.isfinite(value) else None


def _parse_time(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


# What `vet` says about the time that the rest of a list takes, once that can be told.
class TimeLeft:
    """Called after each inspection of `total`; speaks once.

    That is after the first one where it is known how many run at once. Where that is being found,
    it is when the number is, by the inspections that ended since so many run.
    """

    def __init__(self, total: int, *, now: Callable[[], float] | None = None) -> None:
        self._total = total
        self._now = now or monotonic
        self._ends = deque([self._now()], maxlen=KEPT)
        self._done = 0
        self._has_spoken = False

    def one_more(self, at_once: int | None) -> str:
        """A line about the time left, or nothing; `at_once` is None while it is being found."""
        self._done += 1
        if self._has_spoken:
            return ""
        self._ends.append(self._now())
        if at_once is None:
            return ""
        self._has_spoken = True
        # Of the last round, as inspections that began together end together.
        count = min(at_once, len(self._ends) - 1)
        took_s = at_once * (self._ends[-1] - self._ends[-1 - count]) / count
        if self._done == 1:  # the others began with it
            took_s = self._ends[-1] - self._ends[0]
        text = estimate(took_s, self._total - self._done, at_once)
        return f"{at_once} at once, {text}" if text and self._done > 1 else text


def estimate(took_s: float, left: int, at_once: int) -> str:
    """What one inspection tells about the others; empty if they take less than a minute."""
    left_s = took_s * left / at_once
    if left_s < LEAST_S:
        return ""
    each = f"{took_s:.1f} s" if took_s < 60 else duration(took_s)
    return f"about {each} a spectrum: {duration(left_s)} for the other {left:,}\n"
