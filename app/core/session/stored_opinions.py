"""Checks opinions before they are stored and after they are read.

A session may be damaged or come from an untrusted person. Whatever it contains, reading returns a
valid record or raises a SessionError.
"""

import json
from typing import Any, get_args

from sqlalchemy import Row

from agent.checked_toml import is_unicode
from app.core.errors import SessionError
from app.core.session.records import (
    MAX_COMMENT,
    MAX_CONFIDENCE,
    MAX_FLAG,
    MAX_FLAGS,
    Action,
    Judgement,
    LogEntry,
    Opinion,
    Verdict,
)
from app.core.session.subclass_and_fields import checked_subclass, checked_values, values_from
from app.core.session.velocity import checked_velocity, velocity_from

LogRow = Row[Any]

ACTIONS = get_args(Action)


def checked(opinion: Opinion) -> Opinion:
    """Return the opinion, or raise a SessionError that says what cannot be stored."""
    confidence = opinion.confidence
    if confidence is not None and not 0 <= confidence <= MAX_CONFIDENCE:
        raise SessionError(f"a confidence is a number from 0 to {MAX_CONFIDENCE}, not {confidence}")
    if len(opinion.comment) > MAX_COMMENT:
        raise SessionError(f"a comment is at most {MAX_COMMENT} characters long")
    if len(opinion.flags) > MAX_FLAGS or not all(0 < len(f) <= MAX_FLAG for f in opinion.flags):
        raise SessionError(f"there can be {MAX_FLAGS} flags of up to {MAX_FLAG} characters each")
    if not all(is_unicode(text) and "\0" not in text for text in (opinion.comment, *opinion.flags)):
        raise SessionError("a comment or flag contains a NUL or an incomplete character")
    checked_subclass(opinion.subclass)
    checked_values(opinion.fields)
    checked_velocity(opinion.velocity)
    return opinion


def opinion_of(row: LogRow) -> Opinion:
    """Read the opinion from a row of the log or of the judgements, which may hold anything."""
    try:
        flags = json.loads(row.flags)
        verdict = None if row.verdict is None else Verdict(row.verdict)
        words = (row.comment, row.subclass, row.fields, row.velocity)
        if not isinstance(flags, list) or not have_type(str, *words, *flags):
            raise ValueError("unexpected content")
        if row.confidence is not None and not have_type(int, row.confidence):
            raise ValueError("unexpected content")
        return checked(
            Opinion(
                verdict=verdict,
                confidence=row.confidence,
                flags=tuple(flags),
                comment=row.comment,
                subclass=row.subclass,
                fields=values_from(row.fields),
                velocity=velocity_from(row.velocity),
            )
        )
    except (ValueError, TypeError, RecursionError, SessionError) as error:
        raise damaged("an opinion") from error


def judgement_of(row: LogRow) -> Judgement:
    if not have_type(str, row.at, row.name):
        raise damaged(f"a judgement of candidate {row.candidate_id}")
    return Judgement(
        candidate_id=row.candidate_id,
        reviewer=row.name,
        opinion=opinion_of(row),
        at=row.at,
        log_id=row.log_id,
    )


def entry_from(row: LogRow, reviewer: str) -> LogEntry:
    try:
        shown = json.loads(row.shown)
        evidence = json.loads(row.evidence) if row.evidence else {}
    except (ValueError, TypeError, RecursionError) as error:
        raise damaged(f"line {row.id} of the log") from error
    is_sound = (
        isinstance(shown, dict)
        and isinstance(evidence, dict)
        and have_type(str, row.at, row.order_met, reviewer)
        and row.action in ACTIONS
    )
    if not is_sound or not isinstance(row.seconds, float | int | None):
        raise damaged(f"line {row.id} of the log")
    return LogEntry(
        id=row.id,
        at=row.at,
        reviewer=reviewer,
        action=row.action,
        candidate_id=row.candidate_id,
        opinion=opinion_of(row),
        seconds=row.seconds,
        shown=shown,
        evidence=evidence,
        order_met=row.order_met,
    )


def have_type(kind: type, *values: object) -> bool:
    return all(type(value) is kind for value in values)


def damaged(what: str) -> SessionError:
    return SessionError(f"the session is damaged: {what} is invalid. Open a backup")
