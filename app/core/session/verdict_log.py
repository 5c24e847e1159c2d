"""The append-only log of verdicts. An undo is a line too, so no key press is ever lost.

Each reviewer has an undo stack and a redo stack, which are stored only in the log: a `set` line
names the line below it, and an `undo` or `redo` line names the tops after it. So a reviewer's last
line gives both tops, even after a restart. An `undo` or `redo` line also names the one of the same
`set` line that it followed, since merged logs tell their order by nothing else.
"""

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from app.core.database.tables import candidates, facts, judgements, log, reviewers
from app.core.errors import SessionError
from app.core.reviewer_name import MAX_NAME, is_reviewer_name
from app.core.session.log_resolution import last_withdrawal, resolved_line
from app.core.session.records import NOTHING, Action, Judgement, LogEntry, Opinion
from app.core.session.stored_opinions import LogRow, damaged, entry_from, judgement_of
from app.core.session.stored_opinions import checked as checked
from app.core.session.stored_opinions import opinion_of as opinion_of
from app.core.session.subclass_and_fields import values_text
from app.core.session.velocity import velocity_json

MAX_REVIEWERS = 60  # each has a bit in `candidates.judged_by`
PAGE = 1000

# A key press waits for these, and to build them takes longer than to run them.
_REVIEWER = select(reviewers.c.id).where(reviewers.c.name == bindparam("name"))
# Not FOR UPDATE: that would also wait for others who only refer to this reviewer.
_LOCKED_REVIEWER = _REVIEWER.with_for_update(key_share=True)
_NAME = select(reviewers.c.name).where(reviewers.c.id == bindparam("reviewer"))
_CURRENT_LINE = (
    select(log)
    .join(judgements, judgements.c.log_id == log.c.id)
    .where(judgements.c.candidate_id == bindparam("candidate"))
    .where(judgements.c.reviewer_id == bindparam("reviewer"))
)
_LAST_LINE = (
    select(log)
    .where(log.c.reviewer_id == bindparam("reviewer"), log.c.origin == "")
    .order_by(log.c.id.desc())
    .limit(1)
)
_ADD_LINE = insert(log).returning(log)
_FORGET = delete(judgements).where(
    judgements.c.candidate_id == bindparam("candidate"),
    judgements.c.reviewer_id == bindparam("reviewer"),
)
_STORE = insert(judgements)
_OF_CANDIDATE = update(candidates).where(candidates.c.id == bindparam("candidate"))
_SET_BIT = _OF_CANDIDATE.values(judged_by=candidates.c.judged_by.op("|")(bindparam("bits")))
_KEEP_BITS = _OF_CANDIDATE.values(judged_by=candidates.c.judged_by.op("&")(bindparam("bits")))


def now(ago_ms: int = 0) -> str:
    return (datetime.now(UTC) - timedelta(milliseconds=ago_ms)).isoformat(timespec="milliseconds")


def find_reviewer(connection: Connection, name: str) -> int | None:
    """The id of a reviewer; None if nobody of that name has written anything."""
    return connection.execute(_REVIEWER, {"name": name}).scalar()


def session_id(connection: Connection) -> str:
    """The id that all copies of this session share."""
    return str(connection.execute(select(facts.c.value).where(facts.c.key == "id")).scalar())


def reviewer_id(connection: Connection, name: str) -> int:
    """Find or add a reviewer, and lock their row until the transaction ends.

    The lock makes the writes of one person at two computers follow one another.
    """
    name = " ".join(name.split())
    if not is_reviewer_name(name):
        raise SessionError(f"a reviewer's name is 1 to {MAX_NAME} printable characters")
    for _ in range(MAX_REVIEWERS):
        found = connection.execute(_LOCKED_REVIEWER, {"name": name}).scalar()
        if found is not None:
            return _checked_number(found)
        # Ids have no gaps, since each is a bit. Another program may have just taken this one.
        highest = connection.execute(select(func.max(reviewers.c.id))).scalar() or 0
        number = _checked_number(highest + 1)
        with suppress(IntegrityError), connection.begin_nested():
            connection.execute(insert(reviewers).values(id=number, name=name, since=now()))
    raise SessionError("too many people are joining this session at once. Try again")


def _checked_number(number: int) -> int:
    if not 0 < number <= MAX_REVIEWERS:
        raise SessionError(f"a session has at most {MAX_REVIEWERS} reviewers")
    return number


def record(
    connection: Connection,
    candidate_id: int,
    reviewer: int,
    opinion: Opinion,
    seconds: float | None = None,
    shown: Mapping[str, Any] = NOTHING,
    evidence: Mapping[str, str] = NOTHING,
    order_met: str = "",
) -> LogEntry | None:
    """Add a line for an opinion; None if the reviewer's opinion is the same already.

    `order_met` counts where the verdict is new: one that stays was given before.
    """
    before = _current_line(connection, candidate_id, reviewer)
    if before is not None and opinion_of(before) == opinion:
        return None
    if before is None:
        exists = select(candidates.c.id).where(candidates.c.id == candidate_id)
        if connection.execute(exists).scalar() is None:
            raise SessionError(f"there is no candidate {candidate_id}")
    elif before.verdict == opinion.verdict:
        order_met = before.order_met
    undo_top, _ = stack_tops(connection, reviewer)
    line = _add(
        connection,
        "set",
        candidate_id,
        reviewer,
        opinion,
        seconds=_plausible(seconds),
        shown=json.dumps(dict(shown)),
        evidence=json.dumps(dict(evidence)) if evidence else "",
        order_met=order_met,
        before_id=None if before is None else before.id,
        below_id=undo_top,
    )
    _store_judgement(connection, candidate_id, reviewer, line)
    return entry_of(connection, line)


def _plausible(seconds: float | None) -> float | None:
    """None for a duration that a changed system clock has made negative or infinite."""
    return seconds if seconds is not None and 0 <= seconds < math.inf else None


def undo(connection: Connection, reviewer: int) -> LogEntry | None:
    """Undo the reviewer's last opinion; None if there is nothing to undo."""
    undo_top, redo_top = stack_tops(connection, reviewer)
    if undo_top is None:
        return None
    target = _log_line(connection, undo_top, "set", reviewer)
    lines, own = _log_lines(connection, target.candidate_id, reviewer), session_id(connection)
    after = resolved_line(lines, own, undone=target.id)
    line = _add(
        connection,
        "undo",
        target.candidate_id,
        reviewer,
        Opinion() if after is None else opinion_of(after),
        before_id=last_withdrawal(lines, own, target.id),
        target_id=target.id,
        undo_top_id=target.below_id,
        redo_top_id=redo_top,
    )
    _store_judgement(connection, target.candidate_id, reviewer, after)
    return entry_of(connection, line)


def redo(connection: Connection, reviewer: int) -> LogEntry | None:
    """Redo what was undone last; None if there is nothing to redo or a new opinion followed."""
    _, redo_top = stack_tops(connection, reviewer)
    if redo_top is None:
        return None
    undone = _log_line(connection, redo_top, "undo", reviewer)
    target = _log_line(connection, undone.target_id, "set", reviewer)
    lines, own = _log_lines(connection, target.candidate_id, reviewer), session_id(connection)
    after = resolved_line(lines, own, redone=target.id)
    line = _add(
        connection,
        "redo",
        target.candidate_id,
        reviewer,
        Opinion() if after is None else opinion_of(after),
        before_id=last_withdrawal(lines, own, target.id),
        target_id=target.id,
        redo_top_id=undone.redo_top_id,
    )
    _store_judgement(connection, target.candidate_id, reviewer, after)
    return entry_of(connection, line)


def judgements_of(connection: Connection, candidate_id: int) -> list[Judgement]:
    """Each reviewer's opinion of a candidate, in the order of the reviewers."""
    rows = connection.execute(
        select(judgements, reviewers.c.name)
        .join(reviewers, reviewers.c.id == judgements.c.reviewer_id)
        .where(judgements.c.candidate_id == candidate_id)
        .order_by(judgements.c.reviewer_id)
    )
    return [judgement_of(row) for row in rows]


def history_page(
    connection: Connection, after: int = 0, candidate_id: int | None = None
) -> list[LogEntry]:
    """The next page of the log, of one candidate or of all; empty at the end."""
    query = (
        select(log, reviewers.c.name)
        .join(reviewers, reviewers.c.id == log.c.reviewer_id)
        .where(log.c.id > after)
        .order_by(log.c.id)
        .limit(PAGE)
    )
    if candidate_id is not None:
        query = query.where(log.c.candidate_id == candidate_id)
    return [entry_from(row, row.name) for row in connection.execute(query)]


def entry_of(connection: Connection, row: LogRow) -> LogEntry:
    return entry_from(row, connection.execute(_NAME, {"reviewer": row.reviewer_id}).scalar_one())


def _add(
    connection: Connection,
    action: str,
    candidate_id: int,
    reviewer: int,
    opinion: Opinion,
    *,
    shown: str = "{}",
    **more: object,
) -> LogRow:
    values = {
        "at": now(),
        "reviewer_id": reviewer,
        "action": action,
        "candidate_id": candidate_id,
        "verdict": opinion.verdict,
        "confidence": opinion.confidence,
        "flags": json.dumps(list(opinion.flags)),
        "comment": opinion.comment,
        "subclass": opinion.subclass,
        "fields": values_text(opinion.fields),
        "velocity": velocity_json(opinion.velocity),
        "shown": shown,
        **more,
    }
    return connection.execute(_ADD_LINE, values).one()


def _store_judgement(
    connection: Connection, candidate_id: int, reviewer: int, line: LogRow | None
) -> None:
    """Store the opinion in `line` as the reviewer's judgement; None deletes the judgement."""
    connection.execute(_FORGET, {"candidate": candidate_id, "reviewer": reviewer})
    if line is not None:
        values = {
            "candidate_id": candidate_id,
            "reviewer_id": reviewer,
            "log_id": line.id,
            "verdict": line.verdict,
            "confidence": line.confidence,
            "flags": line.flags,
            "comment": line.comment,
            "subclass": line.subclass,
            "fields": line.fields,
            "velocity": line.velocity,
            "at": line.at,
        }
        connection.execute(_STORE, values)
    bit = judged_bit(reviewer)
    has_verdict = line is not None and line.verdict is not None
    change, bits = (_SET_BIT, bit) if has_verdict else (_KEEP_BITS, ~bit)
    connection.execute(change, {"candidate": candidate_id, "bits": bits})


def current_opinion(connection: Connection, candidate_id: int, reviewer: int) -> Opinion:
    """The reviewer's current opinion; a blank one where there is none."""
    line = _current_line(connection, candidate_id, reviewer)
    return Opinion() if line is None else opinion_of(line)


def judged_bit(reviewer: int) -> int:
    return 1 << (reviewer - 1)


def _current_line(connection: Connection, candidate_id: int, reviewer: int) -> LogRow | None:
    """The log line of the reviewer's current opinion."""
    values = {"candidate": candidate_id, "reviewer": reviewer}
    return connection.execute(_CURRENT_LINE, values).one_or_none()


def stack_tops(connection: Connection, reviewer: int) -> tuple[int | None, int | None]:
    """The `set` line that an undo would withdraw, and the `undo` line that a redo would.

    Merged lines are excluded: they are undone in the session where they were written.
    """
    last = connection.execute(_LAST_LINE, {"reviewer": reviewer}).one_or_none()
    if last is None:
        return None, None
    match last.action:
        case "set":
            return last.id, None
        case "undo":
            return last.undo_top_id, last.id
        case "redo":
            return last.target_id, last.redo_top_id
    raise damaged(f"line {last.id} of the log")


def _log_lines(connection: Connection, candidate_id: int, reviewer: int) -> list[LogRow]:
    """All of the reviewer's lines on the candidate."""
    whose = (log.c.candidate_id == candidate_id) & (log.c.reviewer_id == reviewer)
    return list(connection.execute(select(log).where(whose).order_by(log.c.id)))


def _log_line(connection: Connection, log_id: int, action: Action, reviewer: int) -> LogRow:
    row = connection.execute(select(log).where(log.c.id == log_id)).one_or_none()
    if row is None or row.action != action or row.reviewer_id != reviewer:
        raise damaged(f"line {log_id} of the log")
    return row
