"""Merges one session into another."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, select, text

from app.core.database.tables import candidates, inspections, judgements, log, reviewers
from app.core.database.tables import evidence as answers
from app.core.errors import SessionError
from app.core.progress import Progress, ShouldStop, Steps
from app.core.session.log_resolution import resolved_ends
from app.core.session.own_fields import merge_own_fields
from app.core.session.provenance import task_hash
from app.core.session.rebuild import JudgementKey, note_rule, read_log_lines, rebuild_judgements
from app.core.session.records import Aspect, Change, Judgement
from app.core.session.session import MAX_IDS, Session
from app.core.session.stored_opinions import LogRow, damaged, judgement_of, opinion_of
from app.core.session.verdict_log import session_id
from app.core.sharing import merged_facts
from app.core.sharing.log_merge import LogMerge, ReviewerMap
from app.core.sharing.matching import CandidateMatcher
from app.core.sharing.merged_evidence import merge_evidence
from app.core.sharing.share_out import assign_second_opinions
from app.core.sharing.study_plan import merge_study
from app.core.statistics.adjudication import Dispute, disputes

MAX_SESSION_ID = 100

SERVER = "SELECT pg_postmaster_start_time(), current_database(), current_schema()"


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """Two opinions of one reviewer on one candidate, from machines that did not know each other.

    One stands, which `app.core.session.log_resolution` chooses; both are in the log.
    """

    candidate_id: int
    object_id: str
    reviewer: str
    kept: Judgement
    set_aside: Judgement


@dataclass(frozen=True, kw_only=True)
class MergeReport:
    """Numbers of new things; they are 0 if the same session is merged again."""

    matched: int  # candidates of the other session that already existed here
    candidates: int
    lists: int
    reviewers: tuple[str, ...]  # new reviewers
    lines: int  # log lines
    inspections: int
    repeats: int
    measurements: int  # lines measured by hand
    seen: int  # facts about agents' results that reviewers had seen
    evidence: int  # answers of services
    known_answers: int = 0  # hidden candidates with a known answer
    assignments: int = 0
    second_opinions: int = 0  # those that the rule of the merged session asks for by now
    conflicts: tuple[Conflict, ...]
    disagreements: tuple[Dispute, ...]
    """Unsettled disagreements between reviewers, with all opinions."""


def merge(
    into: Session,
    other: Session,
    *,
    progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> MergeReport:
    """Merge everything in `other`, which is only read, into `into`, in one transaction.

    The other log is copied unchanged, with its origin. Of two opinions of one reviewer the later
    one stands, and whatever the order of merges, sessions that hold the same lines agree on it.
    Raises StoppedError.
    """
    if into is other or _is_same_database(into, other):
        raise SessionError(
            f"{into.location} cannot be merged into itself. Choose another person's session"
        )
    if not 0 < len(other.id) <= MAX_SESSION_ID:
        raise damaged("its id")
    if task_hash(into) != task_hash(other) and not into.task.asks_as(other.task):
        raise SessionError(
            f"{other.location} has another task ({other.task.name}) or another version of "
            f"{into.task.name}, so its verdicts answer a different question"
        )
    with into.database.writing() as target, other.database.reading() as source:
        tables = (candidates, log, inspections, answers)
        counted = (select(func.count()).select_from(table) for table in tables)
        total = sum(source.execute(each).scalar_one() for each in counted)
        steps = Steps("merging", total, progress, should_stop)
        merge_study(target, source, is_copy=into.id == other.id)
        matching = CandidateMatcher(target, source)
        for count in matching.pages():
            steps.step(count)
        numbers = matching.numbers
        reviewer_map = ReviewerMap(target, source)
        lines = LogMerge(target, source, (into.id, other.id), reviewer_map, numbers)
        for count in lines.pages():
            steps.step(count)
        conflicts = tuple(_update_judgements(target, lines))
        if lines.added:
            note_rule(target)
        merged_facts.merge_acts(target, source, lines.numbers, reviewer_map)
        added = 0
        for count, new in merged_facts.merge_inspections(target, source, numbers, into.task):
            added += new
            steps.step(count)
        repeats = merged_facts.merge_repeats(target, source, numbers, lines.numbers, reviewer_map)
        measured = merged_facts.merge_measurements(target, source, numbers, reviewer_map)
        seen = merged_facts.merge_seen(target, source, numbers)
        evidence = 0
        for count, new in merge_evidence(target, source, numbers, into.task):
            evidence += new
            steps.step(count)
        merge_own_fields(target, into, other)
        merged_facts.merge_ratings(target, source, numbers)
        known = merged_facts.merge_known(target, source, numbers, matching.highest)
        assigned = merged_facts.merge_assignments(target, source, numbers, reviewer_map)
    second = assign_second_opinions(into)
    aspects: tuple[Aspect, ...] = ("list", "verdict", "inspection", "measurement")
    for aspect in (*aspects, "evidence") if evidence else aspects:
        into.changed.emit(Change(aspect=aspect))
    return MergeReport(
        matched=matching.matched,
        candidates=matching.added,
        lists=matching.added_lists,
        reviewers=tuple(reviewer_map.new),
        lines=lines.added,
        inspections=added,
        repeats=repeats,
        measurements=measured,
        seen=seen,
        evidence=evidence,
        known_answers=known,
        assignments=assigned,
        second_opinions=second,
        conflicts=conflicts,
        disagreements=tuple(disputes(into, with_agent=False, only_open=True)),
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


def _update_judgements(target: Connection, lines: LogMerge) -> Iterator[Conflict]:
    touched = sorted({number for number, _ in lines.touched})
    own = session_id(target)
    for start in range(0, len(touched), MAX_IDS):
        ids = touched[start : start + MAX_IDS]
        before = _read_judgements(target, ids)
        rebuild_judgements(target, ids)
        after = _read_judgements(target, ids)
        log_lines = read_log_lines(target, ids)
        for pair in sorted(lines.touched.intersection(after)):
            mine = before[pair].log_id if pair in before else None
            for line in resolved_ends(log_lines[pair], own):
                if lines.is_new(line.id) or line.id == mine:
                    yield from _conflict(target, after[pair], line)


def _conflict(target: Connection, kept: Judgement, line: LogRow) -> Iterator[Conflict]:
    """The conflict with a line that was written without knowledge of the one that is kept."""
    aside = replace(kept, opinion=opinion_of(line), at=line.at, log_id=line.id)
    if aside.opinion != kept.opinion:
        query = select(candidates.c.object_id).where(candidates.c.id == kept.candidate_id)
        yield Conflict(
            candidate_id=kept.candidate_id,
            object_id=target.execute(query).scalar_one(),
            reviewer=kept.reviewer,
            kept=kept,
            set_aside=aside,
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
