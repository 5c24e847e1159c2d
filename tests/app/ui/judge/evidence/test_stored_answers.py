"""Stored answers of every service, changed by a stranger: shown or told, and the window goes on."""

import json
import random
import zlib
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import select, update

from agent.hashing import bytes_hash
from app.core.database.tables import evidence as answers
from app.core.database.tables import service_replies
from app.core.errors import SessionError
from app.core.exporting import export
from app.core.session.session import Session
from app.services.catalogues.service import all_services
from tests.attacks.sessions.studies import changed
from tests.night import BY_NIGHT

CHANGES, SEEDS = (100, 20) if BY_NIGHT else (1, 1)
"""Of the answer of each service."""
CHANGED = ("release", "state", "asked_at", "ra", "radius_arcsec", "client", "matches", "reason")
VALUES = ("", "x" * 9000, "<b>\0", -1e300, 2**62)


@dataclass
class AnswerRow:
    """An answer as the session stores it, with the bytes that the service sent."""

    key: dict[str, Any]
    columns: dict[str, Any]
    reply_id: int | None
    content: bytes


def answer_rows(session: Session, number: int) -> list[AnswerRow]:
    query = select(answers, service_replies.c.content).join(
        service_replies, service_replies.c.id == answers.c.reply_id, isouter=True
    )
    with session.database.reading() as connection:
        rows = connection.execute(query.where(answers.c.candidate_id == number)).mappings().all()
    return [
        AnswerRow(
            {name: row[name] for name in ("candidate_id", "service", "release")},
            {name: row[name] for name in CHANGED},
            row["reply_id"],
            zlib.decompress(row["content"]) if row["content"] else b"",
        )
        for row in rows
    ]


def store(session: Session, kept: AnswerRow, columns: dict[str, Any], content: bytes) -> None:
    """With the hash of the content, as a stranger would who knows the program."""
    columns_set = ", ".join(f"{name} = ?" for name in columns)
    here = " AND ".join(f"{name} = ?" for name in kept.key)
    with session.database.writing() as connection:
        # Columns have types for SQLAlchemy alone: SQLite takes any value.
        sql = f"UPDATE evidence SET {columns_set} WHERE {here}"
        connection.exec_driver_sql(sql, (*columns.values(), *kept.key.values()))
        if kept.reply_id is not None:
            reply = {"content": zlib.compress(content), "sha256": bytes_hash(content)}
            is_its = service_replies.c.id == kept.reply_id
            connection.execute(update(service_replies).where(is_its).values(reply))


def spoilt(kept: AnswerRow, chance: random.Random) -> tuple[dict[str, Any], bytes]:
    """Another value in a place of its matches, in a column, or in the bytes that were sent."""
    columns, content = dict(kept.columns), bytearray(kept.content)
    what = chance.choice(["matches", "matches", "column", "content"])
    if what == "matches":
        matches = json.loads(columns["matches"])
        changed(matches, chance)
        columns["matches"] = json.dumps(matches)
    elif what == "column":
        columns[chance.choice(CHANGED)] = chance.choice(VALUES)
    else:
        for _ in range(chance.choice([1, 5, 200])):
            content[chance.randrange(len(content))] = chance.randrange(256)
        del content[chance.choice([len(content), len(content) // 2, 3]) :]
    return columns, bytes(content)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_a_stranger_changed_is_shown_or_told(evidence, tmp_path, seed):
    """By night the answer of each service is changed 2,000 times."""
    person, session = evidence.person, evidence.person.session
    evidence.turn_on()
    person.wait(lambda: all(evidence.is_shown(name, "found") for name in all_services()))
    feed, number, chance = evidence.panel.feed, person.number, random.Random(seed)
    feed.pause(True)  # what is stored is shown, and nothing is asked
    person.wait(lambda: not feed._running)
    told: Counter[str] = Counter()
    for kept in answer_rows(session, number) * CHANGES:
        store(session, kept, *spoilt(kept, chance))
        feed._known.clear()
        feed._read.clear()
        person.view.status.errors.clear()
        feed._advance()
        person.wait(lambda: not feed._pool.is_busy)
        said = feed.answer(number, kept.key["service"])
        told["shown" if said else "told"] += 1
        assert said or person.view.status.errors, kept
        with suppress(SessionError):
            export(session, tmp_path / "a.csv")
        store(session, kept, kept.columns, kept.content)
    assert min(told.values()) > 1
