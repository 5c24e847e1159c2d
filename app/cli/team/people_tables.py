"""What `spec-o3 stats` prints about each person: work left, hours, confidence, known answers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from agent.confidence.scores import Estimate
from app.core.statistics.known_figures import KnownFigures
from app.core.statistics.number_format import duration, rough_percent
from app.core.statistics.summary import Statistics
from app.core.statistics.working_time import WorkingTime

Row = tuple[str, ...]
Table = tuple[Row, list[Row]]
MAX_HOURS = 12
NOTHING = "–"


def people_tables(statistics: Statistics) -> Iterator[Table]:
    """Heads and rows of the tables that have any."""
    tables = (_left(statistics), _hours(statistics), _confidences(statistics), _known(statistics))
    yield from (table for table in tables if table[1])


def _left(statistics: Statistics) -> Table:
    rows: list[Row] = [
        (
            each.reviewer,
            NOTHING if each.assigned is None else f"{each.assigned:,}",
            f"{each.left:,}",
            f"{each.second_left:,}",
            NOTHING if each.left_s is None else duration(each.left_s),
            share_text(each.accepted),
        )
        for each in statistics.working
    ]
    return ("reviewer", "assigned", "left", "second left", "time left", "accept rate"), rows


def _hours(statistics: Statistics) -> Table:
    rows: list[Row] = [
        (
            each.reviewer,
            hour_text(hour.hour),
            f"{hour.decisions:,}",
            seconds_text(hour.typical_s),
            share_text(hour.accepted),
        )
        for each in statistics.working
        for hour in each.hours[-MAX_HOURS:]
    ]
    return ("reviewer", "hour", "verdicts", "s each", "accept rate"), rows


def _confidences(statistics: Statistics) -> Table:
    rows: list[Row] = [
        (
            each.reviewer,
            NOTHING if one.confidence is None else str(one.confidence),
            f"{one.decisions:,}",
            seconds_text(one.typical_s),
        )
        for each in statistics.working
        if _has_confidence(each)
        for one in each.confidences
    ]
    return ("reviewer", "confidence", "verdicts", "s each"), rows


def _has_confidence(each: WorkingTime) -> bool:
    return any(one.confidence is not None for one in each.confidences)


def _known(statistics: Statistics) -> Table:
    rows: list[Row] = [_known_row(each) for each in statistics.known]
    head = ("known answers", "members", "look-alikes", "in one act", "completeness", "purity")
    return head, rows


def _known_row(each: KnownFigures) -> Row:
    return (
        each.reviewer,
        f"{each.members_accepted:,} of {each.members:,}",
        f"{each.others_accepted:,} of {each.others:,}",
        f"{each.together:,}",
        share_text(each.completeness),
        share_text(each.purity),
    )


def share_text(share: Estimate) -> str:
    """A share and its interval in percent."""
    if share.value is None:
        return NOTHING
    low, high = (rough_percent(limit) for limit in (share.low, share.high))
    return f"{rough_percent(share.value)} ({low} to {high})"


def seconds_text(seconds: float | None) -> str:
    return NOTHING if seconds is None else f"{seconds:.1f}"


def hour_text(hour: str) -> str:
    """The hour by the clock of this computer."""
    try:
        moment = datetime.fromisoformat(f"{hour}:00").replace(tzinfo=UTC)
    except ValueError:  # a damaged log
        return NOTHING
    return moment.astimezone().strftime("%Y-%m-%d %H:00")
