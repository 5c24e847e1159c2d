"""Sessions of several people brought together in one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, select, text

from app.core.database.tables import candidates, inspections, judgements, log, reviewers
from app.core.errors import SessionError
from app.core.progress import Progress, ShouldStop, Steps
from app.core.provenance import task_hash
from app.core.session.rebuild import JudgementKey, read_log_lines, rebuild_judgements
from app.core.session.records import Change, Judgement
from app.core.session.session import MAX_IDS, Session
from app.core.session.stored_opinions import LogRow, judgement_of
from app.core.sharing.agents_and_repeats import merge_inspections, merge_repeats
from app.core.sharing.log_merge import LogMerge, ReviewerMap
from app.core.sharing.matching import CandidateMatcher, NumberMap
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
    """Bring all that `other` holds into `into`, in one transaction. `other` is only read.

    What people said elsewhere is kept word for word in the log, with where it came from. Of two
    opinions of one person the later one stands. Raises StoppedError.
    """
    _refuse_itself(into, other)
    if task_hash(into) != task_hash(other) and not any_task:
        raise SessionError(
            f"{other.location} is for another task ({other.task.name}), or for another version of "
            f"{into.task.name}: verdicts on other questions do not belong together"
        )
    with into.database.writing() as target, other.database.reading() as source:
        steps = Steps("merging", _total(source), progress, should_stop)
        matching = CandidateMatcher(target, source)
        for count in matching.pages():
            steps.step(count)
        people = ReviewerMap(target, source)
        lines = LogMerge(target, source, (into.id, other.id), people, matching.numbers)
        for count in lines.pages():
            steps.step(count)
        conflicts = tuple(_settled(target, source, lines, people, matching.numbers))
        added = 0
        for count, new in merge_inspections(target, source, matching.numbers, into.task):
            added += new
            steps.step(count)
        repeats = merge_repeats(target, source, matching.numbers, lines.numbers, people)
        seen = merge_seen(target, source, matching.numbers)
    for aspect in ("list", "verdict", "inspection"):
        into.changed.emit(Change(aspect=aspect))
    return MergeReport(
        matched=matching.matched,
        candidates=matching.added,
        lists=matching.added_lists,
        reviewers=tuple(people.new),
        lines=lines.added,
        inspections=added,
        repeats=repeats,
        seen=seen,
        conflicts=conflicts,
        disagreements=_disagreements(into),
    )


def _refuse_itself(into: Session, other: Session) -> None:
    if into is other or _is_same_place(into, other):
        raise SessionError(
            f"{into.location} cannot be merged into itself: name the session of somebody else"
        )


def _is_same_place(one: Session, other: Session) -> bool:
    """However it was called; copies of a session are others."""
    places = one.location, other.location
    if all(isinstance(place, Path) for place in places):
        with suppress(OSError):  # of a file that lost its name
            return Path(places[0]).samefile(places[1])
        return places[0] == places[1]
    if any(isinstance(place, Path) for place in places):
        return False
    return _server_of(one) == _server_of(other)


def _server_of(session: Session) -> tuple[Any, ...]:
    """Which database it is: one server has many names."""
    with session.database.reading() as connection:
        return tuple(connection.execute(text(SERVER)).one())


def _total(source: Connection) -> int:
    numbers = (
        source.execute(select(func.count()).select_from(table)).scalar_one()
        for table in (candidates, log, inspections)
    )
    return sum(numbers)


def _settled(
    target: Connection, source: Connection, lines: LogMerge, people: ReviewerMap, numbers: NumberMap
) -> Iterator[Conflict]:
    """Bring the judgements up to date with the log; and the conflicts that there were."""
    touched = sorted({number for number, _ in lines.touched})
    there = dict(_judged_there(source, numbers, set(touched)))
    for start in range(0, len(touched), MAX_IDS):
        ids = touched[start : start + MAX_IDS]
        before = _held(target, ids)
        theirs = _held(source, [there[number] for number in ids if number in there])
        rebuild_judgements(target, ids)
        after = _held(target, ids)
        said = read_log_lines(target, ids)
        for (their_number, their_reviewer), judgement in theirs.items():
            pair = numbers[their_number], people[their_reviewer]
            if pair in lines.touched and pair in before and pair in after:
                mine, same = before[pair], _moved(judgement, lines.numbers, pair)
                if _is_conflict(mine, same, said[pair]):
                    yield _conflict(target, after[pair], mine, same)


def _is_conflict(mine: Judgement, theirs: Judgement, lines: list[LogRow]) -> bool:
    """Two opinions of which neither was given in knowledge of the other."""
    if mine.opinion == theirs.opinion:
        return False
    before = {line.id: line.before_id for line in lines}
    return not (
        _leads_to(before, mine.log_id, theirs.log_id)
        or _leads_to(before, theirs.log_id, mine.log_id)
    )


def _leads_to(before: Mapping[int, int | None], number: int | None, wanted: int) -> bool:
    """Whether the line replaced the wanted one, at once or by and by."""
    while number is not None and number != wanted:
        earlier = before.get(number)
        number = earlier if earlier is not None and earlier < number else None
    return number == wanted


def _conflict(target: Connection, kept: Judgement, mine: Judgement, theirs: Judgement) -> Conflict:
    query = select(candidates.c.object_id).where(candidates.c.id == kept.candidate_id)
    return Conflict(
        candidate_id=kept.candidate_id,
        object_id=target.execute(query).scalar_one(),
        reviewer=kept.reviewer,
        kept=kept,
        set_aside=mine if kept.log_id == theirs.log_id else theirs,
    )


def _held(connection: Connection, ids: list[int]) -> dict[JudgementKey, Judgement]:
    query = (
        select(judgements, reviewers.c.name)
        .join(reviewers, reviewers.c.id == judgements.c.reviewer_id)
        .where(judgements.c.candidate_id.in_(ids))
    )
    return {
        (row.candidate_id, row.reviewer_id): judgement_of(row) for row in connection.execute(query)
    }


def _moved(theirs: Judgement, lines: NumberMap, pair: JudgementKey) -> Judgement:
    """The same under the numbers of this session."""
    return Judgement(
        candidate_id=pair[0],
        reviewer=theirs.reviewer,
        opinion=theirs.opinion,
        at=theirs.at,
        log_id=lines[theirs.log_id],
    )


def _judged_there(
    source: Connection, numbers: NumberMap, touched: set[int]
) -> Iterator[tuple[int, int]]:
    """For the candidates touched here their numbers there."""
    column = judgements.c.candidate_id
    query = select(column).distinct().order_by(column)
    for number in source.execute(query).scalars():
        if (here := numbers[number]) in touched:
            yield here, number


def _disagreements(into: Session) -> tuple[Dispute, ...]:
    return tuple(disputes(into, with_agent=False, only_open=True))
