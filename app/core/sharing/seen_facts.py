"""What reviewers have seen of the agents in another session, kept here too: whoever saw an opinion
there has not become blind to it by a merge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from app.core.database.database import write_facts
from app.core.database.tables import facts
from app.core.inspections.seen import PREFIX, SeenResult, seen_from, seen_key, seen_text
from app.core.inspections.shown_opinion import MAX_NAME
from app.core.session.session import MAX_IDS
from app.core.session.stored_opinions import damaged, have_type
from app.core.session.verdict_log import MAX_NAME as LONGEST_REVIEWER
from app.core.sharing.matching import NumberMap

Facts = dict[str, SeenResult]


def merge_seen(target: Connection, source: Connection, numbers: NumberMap) -> int:
    """How many say something new here. Of candidates both sessions know it is the sum of both."""
    query = select(facts).where(facts.c.key.startswith(PREFIX, autoescape=True))
    query, after, added = query.order_by(facts.c.key).limit(MAX_IDS), "", 0
    while rows := source.execute(query.where(facts.c.key > after)).all():
        added += _merge_page(target, rows, numbers)
        after = rows[-1].key
    return added


def _merge_page(target: Connection, rows: Sequence[Row[Any]], numbers: NumberMap) -> int:
    given = dict(_moved(row, numbers) for row in rows)
    there = select(facts).where(facts.c.key.in_(given))
    here = {row.key: seen_from(row.value) for row in target.execute(there)}
    both = {key: _together(here[key], seen) if key in here else seen for key, seen in given.items()}
    new = {key: seen for key, seen in both.items() if here.get(key) != seen}
    write_facts(target, {key: seen_text(seen) for key, seen in new.items()})
    return len(new)


def _moved(row: Row[Any], numbers: NumberMap) -> tuple[str, SeenResult]:
    """Under the number the candidate has here. Raises a SessionError where it is none of ours."""
    if not have_type(str, row.key, row.value):
        raise damaged("what was seen in the other session")
    number, _, reviewer = row.key.removeprefix(PREFIX).partition(":")
    is_number = number.isascii() and number.isdecimal() and len(number) < 19
    is_name = 0 < len(reviewer) <= LONGEST_REVIEWER and reviewer.isprintable()
    seen = seen_from(row.value)
    is_model = len(seen.model) <= MAX_NAME and (seen.model.isprintable() or not seen.model)
    if not (is_number and is_name and is_model):
        raise damaged("what was seen in the other session")
    return seen_key(numbers[int(number)], reviewer), seen


def _together(here: SeenResult, there: SeenResult) -> SeenResult:
    return SeenResult(model=here.model or there.model, in_blind=here.in_blind or there.in_blind)
