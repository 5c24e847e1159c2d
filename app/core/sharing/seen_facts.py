"""Merges which agents' results reviewers had seen: after a merge they are still not blind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from app.core.database.database import write_facts
from app.core.database.tables import facts
from app.core.inspections.seen import PREFIX, SeenResult, seen_from, seen_key, seen_text
from app.core.inspections.shown_opinion import MAX_NAME
from app.core.reviewer_name import MAX_NAME as LONGEST_REVIEWER
from app.core.session.session import MAX_IDS
from app.core.session.stored_opinions import damaged, have_type
from app.core.sharing.matching import IdMap

Facts = dict[str, SeenResult]


def merge_seen(target: Connection, source: Connection, ids: IdMap) -> int:
    """Merge the facts of both sessions and return the number of new or changed ones."""
    query = select(facts).where(facts.c.key.startswith(PREFIX, autoescape=True))
    query, after, added = query.order_by(facts.c.key).limit(MAX_IDS), "", 0
    while rows := source.execute(query.where(facts.c.key > after)).all():
        added += _merge_page(target, rows, ids)
        after = rows[-1].key
    return added


def _merge_page(target: Connection, rows: Sequence[Row[Any]], ids: IdMap) -> int:
    given = dict(_renumbered(row, ids) for row in rows)
    there = select(facts).where(facts.c.key.in_(given))
    here = {row.key: seen_from(row.value) for row in target.execute(there)}
    both = {key: _combined(here[key], seen) if key in here else seen for key, seen in given.items()}
    new = {key: seen for key, seen in both.items() if here.get(key) != seen}
    write_facts(target, {key: seen_text(seen) for key, seen in new.items()})
    return len(new)


def _renumbered(row: Row[Any], ids: IdMap) -> tuple[str, SeenResult]:
    """The fact under the candidate's id in the target. Raises SessionError if it is invalid."""
    if not have_type(str, row.key, row.value):
        raise damaged("what was seen in the other session")
    number, _, reviewer = row.key.removeprefix(PREFIX).partition(":")
    is_number = number.isascii() and number.isdecimal() and len(number) < 19
    is_name = 0 < len(reviewer) <= LONGEST_REVIEWER and reviewer.isprintable()
    seen = seen_from(row.value)
    is_model = len(seen.model) <= MAX_NAME and (seen.model.isprintable() or not seen.model)
    if not (is_number and is_name and is_model):
        raise damaged("what was seen in the other session")
    return seen_key(ids[int(number)], reviewer), seen


def _combined(here: SeenResult, there: SeenResult) -> SeenResult:
    # Of two models any would do, but in all sessions it has to be the same one.
    model = min(here.model, there.model) or here.model or there.model
    return SeenResult(model=model, in_blind=here.in_blind or there.in_blind)
