"""The log of verdicts. It only grows: an undo is a line, too, so nothing pressed is ever lost.

Each reviewer has a stack of what can be undone and one of what can be done again. They are not
kept anywhere: a `set` line names the one below it, an `undo` or `redo` line what lies on top after
it, so the last line of a reviewer tells both tops, today or after a restart.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from app.core.errors import SessionError
from app.core.records import (
    MAX_COMMENT,
    MAX_CONFIDENCE,
    MAX_FLAG,
    MAX_FLAGS,
    NOTHING,
    Judgement,
    LogEntry,
    Opinion,
    Verdict,
)
from app.core.tables import candidates, judgements, log, reviewers

MAX_REVIEWERS = 60
"""Each has a bit in `candidates.judged_by`."""
MAX_NAME = 80
PAGE = 1000

LogRow = Row[Any]


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def find_reviewer(connection: Connection, name: str) -> int | None:
    """The number of a reviewer; None where nobody of that name has written anything."""
    return connection.execute(select(reviewers.c.id).where(reviewers.c.name == name)).scalar()


def reviewer_id(connection: Connection, name: str) -> int:
    """The number of a reviewer, new ones included."""
    name = " ".join(name.split())
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise SessionError(f"a reviewer's name is 1 to {MAX_NAME} printable characters")
    found = find_reviewer(connection, name)
    if found is not None:
        return found
    row = insert(reviewers).values(name=name, since=now()).returning(reviewers.c.id)
    made = int(connection.execute(row).scalar_one())
    if made > MAX_REVIEWERS:
        raise SessionError(f"a session has at most {MAX_REVIEWERS} reviewers")
    return made


def checked(opinion: Opinion) -> Opinion:
    """The opinion, or a SessionError that says what of it cannot be kept."""
    confidence = opinion.confidence
    if confidence is not None and not 0 <= confidence <= MAX_CONFIDENCE:
        raise SessionError(f"confidence is from 0 to {MAX_CONFIDENCE}, not {confidence}")
    if len(opinion.comment) > MAX_COMMENT:
        raise SessionError(f"a comment is at most {MAX_COMMENT} characters long")
    if len(opinion.flags) > MAX_FLAGS or not all(0 < len(f) <= MAX_FLAG for f in opinion.flags):
        raise SessionError(f"at most {MAX_FLAGS} flags of at most {MAX_FLAG} characters")
    if "\0" in opinion.comment or any("\0" in flag for flag in opinion.flags):
        raise SessionError("a comment or flag holds a NUL character")
    return opinion


def record(
    connection: Connection,
    candidate_id: int,
    reviewer: int,
    opinion: Opinion,
    seconds: float | None = None,
    shown: Mapping[str, Any] = NOTHING,
) -> LogEntry | None:
    """Write down an opinion; None where it is what the reviewer thought already."""
    before = _effective(connection, candidate_id, reviewer)
    if before is not None and opinion_of(before) == opinion:
        return None
    undo_top, _ = _tops(connection, reviewer)
    line = _add(
        connection,
        "set",
        candidate_id,
        reviewer,
        opinion,
        seconds=seconds,
        shown=json.dumps(dict(shown)),
        before_id=None if before is None else before.id,
        below_id=undo_top,
    )
    _hold(connection, candidate_id, reviewer, line)
    return entry_of(connection, line)


def undo(connection: Connection, reviewer: int) -> LogEntry | None:
    """Take the reviewer's last opinion back; None where there is none left."""
    undo_top, redo_top = _tops(connection, reviewer)
    if undo_top is None:
        return None
    target = _line(connection, undo_top)
    before = None if target.before_id is None else _line(connection, target.before_id)
    line = _add(
        connection,
        "undo",
        target.candidate_id,
        reviewer,
        Opinion() if before is None else opinion_of(before),
        target_id=target.id,
        undo_top_id=target.below_id,
        redo_top_id=redo_top,
    )
    _hold(connection, target.candidate_id, reviewer, before)
    return entry_of(connection, line)


def redo(connection: Connection, reviewer: int) -> LogEntry | None:
    """Do again what was undone last; None where nothing was, or a new opinion came since."""
    _, redo_top = _tops(connection, reviewer)
    if redo_top is None:
        return None
    undone = _line(connection, redo_top)
    target = _line(connection, undone.target_id)
    line = _add(
        connection,
        "redo",
        target.candidate_id,
        reviewer,
        opinion_of(target),
        target_id=target.id,
        redo_top_id=undone.redo_top_id,
    )
    _hold(connection, target.candidate_id, reviewer, target)
    return entry_of(connection, line)


def judgements_of(connection: Connection, candidate_id: int) -> list[Judgement]:
    """What each reviewer thinks of a candidate, in the order of the reviewers."""
    rows = connection.execute(
        select(judgements, reviewers.c.name)
        .join(reviewers, reviewers.c.id == judgements.c.reviewer_id)
        .where(judgements.c.candidate_id == candidate_id)
        .order_by(judgements.c.reviewer_id)
    )
    return [
        Judgement(
            candidate_id=row.candidate_id,
            reviewer=row.name,
            opinion=opinion_of(row),
            at=row.at,
            log_id=row.log_id,
        )
        for row in rows
    ]


def history_page(
    connection: Connection, after: int = 0, candidate_id: int | None = None
) -> list[LogEntry]:
    """The next lines of the log, of one candidate or of all; empty at its end."""
    query = (
        select(log, reviewers.c.name)
        .join(reviewers, reviewers.c.id == log.c.reviewer_id)
        .where(log.c.id > after)
        .order_by(log.c.id)
        .limit(PAGE)
    )
    if candidate_id is not None:
        query = query.where(log.c.candidate_id == candidate_id)
    return [_entry(row, row.name) for row in connection.execute(query)]


def opinion_of(row: LogRow) -> Opinion:
    """From a line of the log or a judgement."""
    return Opinion(
        verdict=None if row.verdict is None else Verdict(row.verdict),
        confidence=row.confidence,
        flags=tuple(json.loads(row.flags)),
        comment=row.comment,
    )


def entry_of(connection: Connection, row: LogRow) -> LogEntry:
    name = select(reviewers.c.name).where(reviewers.c.id == row.reviewer_id)
    return _entry(row, connection.execute(name).scalar_one())


def _entry(row: LogRow, reviewer: str) -> LogEntry:
    return LogEntry(
        id=row.id,
        at=row.at,
        reviewer=reviewer,
        action=row.action,
        candidate_id=row.candidate_id,
        opinion=opinion_of(row),
        seconds=row.seconds,
        shown=json.loads(row.shown),
    )


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
        "shown": shown,
        **more,
    }
    return connection.execute(insert(log).values(values).returning(log)).one()


def _hold(connection: Connection, candidate_id: int, reviewer: int, line: LogRow | None) -> None:
    """Let `line` be the reviewer's opinion of the candidate; None: they have none."""
    whose = (judgements.c.candidate_id == candidate_id) & (judgements.c.reviewer_id == reviewer)
    connection.execute(delete(judgements).where(whose))
    if line is not None:
        connection.execute(
            insert(judgements).values(
                candidate_id=candidate_id,
                reviewer_id=reviewer,
                log_id=line.id,
                verdict=line.verdict,
                confidence=line.confidence,
                flags=line.flags,
                comment=line.comment,
                at=line.at,
            )
        )
    bit = judged_bit(reviewer)
    mask = candidates.c.judged_by
    has_verdict = line is not None and line.verdict is not None
    judged = mask.op("|")(bit) if has_verdict else mask.op("&")(~bit)
    connection.execute(
        update(candidates).where(candidates.c.id == candidate_id).values(judged_by=judged)
    )


def judged_bit(reviewer: int) -> int:
    return 1 << (reviewer - 1)


def _effective(connection: Connection, candidate_id: int, reviewer: int) -> LogRow | None:
    """The line of the log that holds now."""
    query = (
        select(log)
        .join(judgements, judgements.c.log_id == log.c.id)
        .where(judgements.c.candidate_id == candidate_id, judgements.c.reviewer_id == reviewer)
    )
    return connection.execute(query).one_or_none()


def _tops(connection: Connection, reviewer: int) -> tuple[int | None, int | None]:
    """The `set` line that an undo would take back, and the `undo` line a redo would."""
    query = select(log).where(log.c.reviewer_id == reviewer).order_by(log.c.id.desc()).limit(1)
    last = connection.execute(query).one_or_none()
    if last is None:
        return None, None
    if last.action == "set":
        return last.id, None
    if last.action == "undo":
        return last.undo_top_id, last.id
    return last.target_id, last.redo_top_id


def _line(connection: Connection, log_id: int) -> LogRow:
    return connection.execute(select(log).where(log.c.id == log_id)).one()
