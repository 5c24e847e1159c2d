"""Merges one session into another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, select, text

from app.core.database.tables import candidates, inspections, judgements, log, reviewers
from app.core.errors import SessionError
from app.core.progress import Progress, ShouldStop, Steps
from app.core.session.provenance import task_hash
from app.core.session.rebuild import JudgementKey, read_log_lines, rebuild_judgements
from app.core.session.records import Change, Judgement
from app.core.session.session import MAX_IDS, Session
from app.core.session.stored_opinions import LogRow, judgement_of
from app.core.sharing.agents_and_repeats import merge_inspections, merge_repeats
from app.core.sharing.log_merge import LogMerge, ReviewerMap
from app.core.sharing.matching import CandidateMatcher, IdMap
from app.core.sharing.merge_report import Conflict, MergeReport
from app.core.sharing.seen_facts import merge_seen
from app.core.statistics.adjudication import Dispute, disputes

Judged = Mapping[JudgementKey, Judgement]

SERVER = "SELECT pg_postmaster_start_time(), current_database(), current_schema()"


def merge(
    into: Session,
    other: Session,
    *,
    any_task: bool = False,
    progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> MergeReport:
    """Merge everything in `other`, which is only read, into `into`, in one transaction.

    The other log is copied unchanged, with its origin. Of two opinions of one reviewer the later
    one stands. Raises StoppedError.
    """
    _refuse_itself(into, other)
    if task_hash(into) != task_hash(other) and not any_task:
        raise SessionError(
            f"{other.location} has another task ({other.task.name}) or another version of "
            f"{into.task.name}, so its verdicts answer a different question"
        )
    with into.database.writing() as target, other.database.reading() as source:
        steps = Steps("merging", _total(source), progress, should_stop)
        matching = CandidateMatcher(target, source)
        for count in matching.pages():
            steps.step(count)
        reviewer_map = ReviewerMap(target, source)
        lines = LogMerge(target, source, (into.id, other.id), reviewer_map, matching.numbers)
        for count in lines.pages():
            steps.step(count)
        conflicts = tuple(_update_judgements(target, source, lines, reviewer_map, matching.numbers))
        added = 0
        for count, new in merge_inspections(target, source, matching.numbers, into.task):
            added += new
            steps.step(count)
        repeats = merge_repeats(target, source, matching.numbers, lines.numbers, reviewer_map)
        seen = merge_seen(target, source, matching.numbers)
    for aspect in ("list", "verdict", "inspection"):
        into.changed.emit(Change(aspect=aspect))
    return MergeReport(
        matched=matching.matched,
        candidates=matching.added,
        lists=matching.added_lists,
        reviewers=tuple(reviewer_map.new),
        lines=lines.added,
        inspections=added,
        repeats=repeats,
        seen=seen,
        conflicts=conflicts,
        disagreements=_disagreements(into),
    )


def _refuse_itself(into: Session, other: Session) -> None:
    if into is other or _is_same_database(into, other):
        raise SessionError(
            f"{into.location} cannot be merged into itself. Choose another person's session"
        )


def _is_same_database(one: Session, other: Session) -> bool:
    """Whether both are the same file or database, whatever their names; copies are not."""
    locations = one.location, other.location
    if all(isinstance(location, Path) for location in locations):
        with suppress(OSError):  # if a file was moved or deleted
            return Path(locations[0]).samefile(locations[1])
        return locations[0] == locations[1]
    if any(isinstance(location, Path) for location in locations):
        return False
    return _server_of(one) == _server_of(other)


def _server_of(session: Session) -> tuple[Any, ...]:
    """Identify the server and database, since a server can have many names."""
    with session.database.reading() as connection:
        return tuple(connection.execute(text(SERVER)).one())


def _total(source: Connection) -> int:
    numbers = (
        source.execute(select(func.count()).select_from(table)).scalar_one()
        for table in (candidates, log, inspections)
    )
    return sum(numbers)


def _update_judgements(
    target: Connection,
    source: Connection,
    lines: LogMerge,
    reviewer_map: ReviewerMap,
    numbers: IdMap,
) -> Iterator[Conflict]:
    """Update the judgements from the merged log and yield the conflicts."""
    touched = sorted({number for number, _ in lines.touched})
    there = dict(_ids_in_source(source, numbers, set(touched)))
    for start in range(0, len(touched), MAX_IDS):
        ids = touched[start : start + MAX_IDS]
        before = _read_judgements(target, ids)
        theirs = _read_judgements(source, [there[number] for number in ids if number in there])
        rebuild_judgements(target, ids)
        after = _read_judgements(target, ids)
        log_lines = read_log_lines(target, ids)
        for (their_number, their_reviewer), judgement in theirs.items():
            pair = numbers[their_number], reviewer_map[their_reviewer]
            if pair in lines.touched and pair in before and pair in after:
                mine, same = before[pair], _renumbered(judgement, lines.numbers, pair)
                if _is_conflict(mine, same, log_lines[pair]):
                    yield _conflict(target, after[pair], mine, same)


def _is_conflict(mine: Judgement, theirs: Judgement, lines: list[LogRow]) -> bool:
    """Whether the opinions differ and neither replaced the other."""
    if mine.opinion == theirs.opinion:
        return False
    before = {line.id: line.before_id for line in lines}
    return not (
        _replaces(before, mine.log_id, theirs.log_id)
        or _replaces(before, theirs.log_id, mine.log_id)
    )


def _replaces(before: Mapping[int, int | None], number: int | None, target: int) -> bool:
    """Whether the line replaced the target, directly or through others."""
    while number is not None and number != target:
        earlier = before.get(number)
        number = earlier if earlier is not None and earlier < number else None
    return number == target


def _conflict(target: Connection, kept: Judgement, mine: Judgement, theirs: Judgement) -> Conflict:
    query = select(candidates.c.object_id).where(candidates.c.id == kept.candidate_id)
    return Conflict(
        candidate_id=kept.candidate_id,
        object_id=target.execute(query).scalar_one(),
        reviewer=kept.reviewer,
        kept=kept,
        set_aside=mine if kept.log_id == theirs.log_id else theirs,
    )


def _read_judgements(connection: Connection, ids: list[int]) -> dict[JudgementKey, Judgement]:
    query = (
        select(judgements, reviewers.c.name)
        .join(reviewers, reviewers.c.id == judgements.c.reviewer_id)
        .where(judgements.c.candidate_id.in_(ids))
    )
    return {
        (row.candidate_id, row.reviewer_id): judgement_of(row) for row in connection.execute(query)
    }


def _renumbered(theirs: Judgement, lines: IdMap, pair: JudgementKey) -> Judgement:
    """The judgement with the ids of this session."""
    return Judgement(
        candidate_id=pair[0],
        reviewer=theirs.reviewer,
        opinion=theirs.opinion,
        at=theirs.at,
        log_id=lines[theirs.log_id],
    )


def _ids_in_source(
    source: Connection, numbers: IdMap, touched: set[int]
) -> Iterator[tuple[int, int]]:
    """Pairs of target and source ids of the touched candidates."""
    column = judgements.c.candidate_id
    query = select(column).distinct().order_by(column)
    for number in source.execute(query).scalars():
        if (here := numbers[number]) in touched:
            yield here, number


def _disagreements(into: Session) -> tuple[Dispute, ...]:
    return tuple(disputes(into, with_agent=False, only_open=True))
