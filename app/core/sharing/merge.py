"""Merges one session into another."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, text, update

from agent.checked_toml import unprintable
from agent.tasks.task import Task
from app.core.database.database import insert_or_update
from app.core.database.paging import pages
from app.core.database.tables import (
    candidates,
    evidence,
    inspections,
    judgements,
    log,
    reviewers,
    service_replies,
)
from app.core.database.tables import evidence as answers
from app.core.errors import SessionError
from app.core.evidence.said_values import matches_from
from app.core.evidence.weighing import STORED, update_combined
from app.core.progress import Progress, ShouldStop, Steps
from app.core.session.evidence_services import unpacked
from app.core.session.log_resolution import resolved_ends
from app.core.session.own_fields import merge_own_fields
from app.core.session.provenance import task_hash
from app.core.session.rebuild import JudgementKey, note_rule, read_log_lines, rebuild_judgements
from app.core.session.records import Aspect, Change, Judgement
from app.core.session.session import MAX_IDS, Session
from app.core.session.stored_opinions import LogRow, damaged, have_type, judgement_of, opinion_of
from app.core.session.verdict_log import session_id
from app.core.sharing import merged_facts
from app.core.sharing.log_merge import LogMerge, ReviewerMap, is_timestamp
from app.core.sharing.matching import CandidateMatcher, IdMap
from app.core.sharing.share_out import assign_second_opinions
from app.core.sharing.study_plan import merge_study
from app.core.statistics.adjudication import Dispute, disputes
from app.services.catalogues.answer import State
from app.services.catalogues.service import NAME
from app.services.catalogues.sky_picture import stored_picture
from app.services.web.errors import BadReply

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


# Merges what services said about candidates: what a session lacks is taken along.
# Of two answers of one release the later one stands, but an answer before a failure. The replies
# come with them, as the source of their values.
AT_ONCE = 200
MAX_WORD, MAX_REASON = 300, 2000
MAX_QUESTION, MAX_PACKED = 2**22, 40 * 2**20
KEYS = ("candidate_id", "service", "release")
OF_REPLY = ("url", "question", "asked_at", "media_type", "sha256", "content")

Values = dict[str, Any]
Key = tuple[int, str, str]
Replies = dict[tuple[int | None, str], int]  # by their id in the other session and the service


def merge_evidence(
    target: Connection, source: Connection, ids: IdMap, task: Task
) -> Iterator[tuple[int, int]]:
    """Merge page by page; yields the number of answers in a page and of those taken along."""
    replies: Replies = {}
    key = [evidence.c[name] for name in KEYS]
    for rows in pages(source, select(evidence), *key, at_once=AT_ONCE, after=(0, "", "")):
        yield len(rows), _merge_page(target, source, rows, ids, replies, task)


def _merge_page(
    target: Connection,
    source: Connection,
    rows: Sequence[Row[Any]],
    ids: IdMap,
    replies: Replies,
    task: Task,
) -> int:
    given = [_checked(row, ids[row.candidate_id]) for row in rows]
    numbers = {each["candidate_id"] for each in given}
    query = select(evidence, service_replies.c.sha256).join(
        service_replies, service_replies.c.id == evidence.c.reply_id, isouter=True
    )
    found = target.execute(query.where(evidence.c.candidate_id.in_(numbers))).mappings()
    known: dict[Key, Values] = {_key(row): row for row in map(dict, found)}
    replied = service_replies.c.id.in_({each["reply_id"] for each in given} - {None})
    sent = source.execute(select(service_replies.c.id, service_replies.c.sha256).where(replied))
    hashes = {row.id: str(row.sha256) for row in sent}
    new = []
    for each in given:
        sha256 = hashes.get(each["reply_id"], "")
        mine = known.get(_key(each))
        if mine is None or _rank(each, sha256) > _rank(mine, mine["sha256"] or ""):
            reply = each["reply_id"]
            known_as = reply, each["service"]
            if reply is not None and known_as not in replies:
                replies[known_as] = _copied_reply(target, source, each)
            new.append(each | {"reply_id": replies.get(known_as)})
    if new:
        statement = insert_or_update(target, evidence)
        news = {name: statement.excluded[name] for name in new[0] if name not in KEYS}
        target.execute(statement.on_conflict_do_update(index_elements=list(KEYS), set_=news), new)
        touched = {each["candidate_id"] for each in new}
        _mark_newest(target, touched)
        update_combined(target, task, touched)
    return len(new)


def _rank(values: Mapping[str, Any], sha256: str) -> tuple[bool, str, str, str, str]:
    """Of two answers the higher one stands: the same one in whatever order sessions are merged."""
    is_answer = values["state"] != State.FAILED
    return is_answer, values["asked_at"], sha256, values["matches"], values["reason"]


def _mark_newest(target: Connection, numbers: set[int]) -> None:
    """Of the releases of a service the one asked last is its answer."""
    columns = [evidence.c[name] for name in (*KEYS, "asked_at")]
    rows = target.execute(select(*columns).where(evidence.c.candidate_id.in_(numbers))).all()
    newest: dict[tuple[int, str], tuple[str, str]] = {}
    for row in rows:
        key, order = (row.candidate_id, row.service), (row.asked_at, row.release)
        newest[key] = max(newest.get(key, order), order)
    here = evidence.c.candidate_id.in_(numbers)
    target.execute(update(evidence).where(here).values(is_newest=False))
    for (number, service), (_, release) in newest.items():
        one = evidence.c.candidate_id == number, evidence.c.service == service
        changed = update(evidence).where(*one, evidence.c.release == release)
        target.execute(changed.values(is_newest=True))


def _copied_reply(target: Connection, source: Connection, answer: Values) -> int:
    """The id of the same reply in the target, where it is added unless it is there."""
    query = select(*(service_replies.c[name] for name in OF_REPLY))
    here = service_replies.c.id == answer["reply_id"]
    row = source.execute(query.where(here)).one_or_none()
    if row is None:
        raise damaged("the reply of a service")
    values = dict(row._mapping)
    is_sound = (
        have_type(str, *(values[name] for name in OF_REPLY[:-1]))
        and have_type(bytes, values["content"])
        and is_timestamp(values["asked_at"])
        and len(values["question"]) <= MAX_QUESTION
        and len(values["content"]) <= MAX_PACKED
    )
    if not is_sound:
        raise damaged("the reply of a service")
    content = unpacked(values["content"], values["sha256"])
    if answer["service"] == "picture" and (said := matches_from(answer["matches"])):
        try:
            stored_picture(content, said[0].values)
        except BadReply as error:
            raise damaged("the reply of a service") from error
    same = ("sha256", "url", "asked_at", "content")
    there = select(service_replies.c.id)
    there = there.where(*(service_replies.c[name] == values[name] for name in same))
    found = target.execute(there.limit(1)).scalar()
    if found is None:
        made = insert(service_replies).values(values).returning(service_replies.c.id)
        found = target.execute(made).scalar_one()
    return int(found)


def _checked(row: Row[Any], number: int) -> Values:
    """The values for the target. Raises SessionError: a stranger's session may hold anything."""
    words = row.service, row.release, row.state, row.asked_at, row.client, row.reason
    numbers = row.ra, row.dec, row.radius_arcsec
    is_sound = (
        have_type(str, *words)
        and all(isinstance(each, float | int) and math.isfinite(each) for each in numbers)
        and isinstance(row.reply_id, int | None)
        and NAME.fullmatch(row.service) is not None
        and row.state in STORED
        and is_timestamp(row.asked_at)
        and all(_is_word(each, MAX_WORD) for each in (row.release, row.client))
        and _is_word(row.reason, MAX_REASON)
    )
    if not is_sound:
        raise damaged(f"the evidence about candidate {row.candidate_id} of the other session")
    matches_from(row.matches)
    return {**row._mapping, "candidate_id": number, "is_newest": False}


def _is_word(text: str, longest: int) -> bool:
    return len(text) <= longest and not any(map(unprintable, text))


def _key(values: Mapping[str, Any]) -> Key:
    return values["candidate_id"], values["service"], values["release"]
