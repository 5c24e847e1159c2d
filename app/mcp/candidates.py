"""Pages of a session's candidates, one with all that is known of it, and the best of a survey.

Candidates hidden with a known answer measure people: no page has them, so that they are in no table
that an assistant makes. Asked for by its number, one is told like any other.
"""

import json
import math
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from agent.checked_toml import printable
from agent.spectra.spectrum import finite
from agent.tasks.look import has_class
from app.core.database.database import read_fact
from app.core.database.tables import candidates
from app.core.finding.choice import ODD, ChoiceRule, choose
from app.core.finding.table import FindTable
from app.core.inspections.store import StoredInspection, inspections_of
from app.core.queue import QueuePosition, QueueRow, count, page, parse_filter, parse_sort, row_of
from app.core.queue.blind_filters import FACT, breaks_blind_mode
from app.core.queue.column_values import context_of, gives_class_away
from app.core.queue.filters import Filter
from app.core.queue.own_columns import own_columns
from app.core.queue.sql_conditions import condition
from app.core.session.known_answers import known_ids, not_known
from app.core.session.records import Judgement
from app.core.session.session import Session
from app.mcp.measuring import MAX_TEXT, plain, prose
from app.mcp.sources import SourceError

MAX_ROWS = 100
MAX_OWN = 60
MAX_SAID = 120  # values of services; ours have some 80
MAX_INSPECTIONS = 10
MAX_REASONS = 2000
MAX_INTEGER = 2**63 - 1
TOLD = (
    *("object_id", "ra", "dec", "score", "label", "snr"),
    *("agent_verdict", "agent_p_yes", "agent_model", "agent_members", "fault"),
)
OF_AGENTS = dict.fromkeys(("label", *(each for each in TOLD if each.startswith("agent_"))))
BLIND = "this session is judged blind: what agents say of a candidate is told after the verdict"
BAD_CURSOR = "`after` is what `next` said in the page before, or empty for the first page"
OF_SURVEY = (
    *("path", "row", "object_id", "ra", "dec"),
    *("snr", "kind", "oddness", "velocity_kms", "quality"),
)


def about(session: Session) -> dict[str, Any]:
    """What a client needs to know of the session before it asks for candidates."""
    columns = own_columns(session)[:MAX_OWN]
    return {
        "name": printable(session.name, MAX_TEXT),
        "candidates": session.count() - len(known_ids(session)),
        "task": plain(session.task.id) if has_class(session.task) else None,
        "question": plain(session.task.question) if has_class(session.task) else None,
        "columns": [printable(each.name, MAX_TEXT) for each in columns],
    }


def candidate_page(
    session: Session, text: str, order: str, after: str, rows: int
) -> dict[str, Any]:
    """One page of those that a filter leaves, as the queue shows them."""
    names = tuple(each.name for each in own_columns(session))
    tree, sort = parse_filter(text, names), parse_sort(order or "list")
    start = None if not after else _position(after, is_name=sort.key == "object")
    blind = is_blind(session)
    if blind and breaks_blind_mode(tree, sort):
        raise SourceError(f"{BLIND}, which this filter or order would give away")
    found = page(session, tree, sort, after=start, limit=rows, with_values=True)
    matching, hidden = count(session, tree), known_ids(session)
    number = max(0, matching.number - _count_hidden(session, tree))
    return {
        "session": about(session),
        "matching": {"number": number, "is_exact": matching.is_exact},
        "rows": [_row(each, blind) for each in found.rows if each.candidate.id not in hidden],
        # A page may be short or empty and yet not be the last.
        "next": None if found.end is None else json.dumps(list(found.end)),
    }


def candidate_record(session: Session, number: int) -> dict[str, Any]:
    """A candidate, what people judged, and what models, or assistants, said of it."""
    row, blind = row_of(session, number, with_values=True), is_blind(session)
    told = [] if _is_hidden(row, blind) else inspections_of(session, number)[:MAX_INSPECTIONS]
    return {
        **_row(row, blind),
        "line_of_list": row.candidate.line,
        "judgements": [_judgement(each) for each in session.judgements(number)],
        "inspections": [_inspection(each) for each in told],
    }


def likeliest(folder: Path, task: str, count: int) -> dict[str, Any]:
    """The best of a class in a table of `spec-o3 find`, or the oddest; what part they are."""
    table = FindTable(folder)
    choice = choose(table, ChoiceRule(task=task, keep=count))
    names = [*OF_SURVEY, *(() if task == ODD else (f"p_{task}",))]
    columns = {
        name: [finite(value) if isinstance(value, float) else value for value in values]
        for name, values in table.rows(choice.numbers, names).items()
    }
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return {"choice": choice.as_json(), "sentence": choice.sentence, "rows": rows}


def is_blind(session: Session) -> bool:
    """Whether the session is judged blind by now: the window may have changed that."""
    with session.database.reading() as connection:
        return read_fact(connection, FACT) == "yes"


def refuse_blind(session: Session | None, candidate: int | None) -> None:
    """Raise SourceError where an inspection, as of any file, would tell what blind mode hides."""
    if session is None or not is_blind(session):
        return
    if candidate is None or _is_hidden(row_of(session, candidate), blind=True):
        raise SourceError(BLIND)


def _is_hidden(row: QueueRow, blind: bool) -> bool:
    return blind and row.opinion.verdict is None


def _count_hidden(session: Session, tree: Filter) -> int:
    """How many of the hidden ones the filter leaves."""
    query = select(func.count()).select_from(candidates)
    query = query.where(~not_known(candidates.c.id), condition(tree, context_of(session)))
    with session.database.reading() as connection:
        return connection.execute(query).scalar_one()


def _position(text: str, *, is_name: bool) -> QueuePosition:
    try:
        value, number = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise SourceError(BAD_CURSOR) from error
    is_whole = type(value) is int and abs(value) <= MAX_INTEGER
    is_number = is_whole or (type(value) is float and math.isfinite(value))
    is_value = isinstance(value, str) if is_name else is_number
    if not is_value or type(number) is not int or not 0 <= number <= MAX_INTEGER:
        raise SourceError(BAD_CURSOR)
    return QueuePosition(value, number)


def _row(row: QueueRow, blind: bool) -> dict[str, Any]:
    one, is_hidden = row.candidate, _is_hidden(row, blind)
    said = {k: v for k, v in row.evidence.items() if not (is_hidden and gives_class_away(k))}
    told: dict[str, Any] = {
        "candidate": one.id,
        **{name: getattr(one, name) for name in TOLD},
        "columns": {
            name: value
            for name, value in list(one.own.items())[:MAX_OWN]
            if not (is_hidden and gives_class_away(name))
        },
        "services": dict(list(said.items())[:MAX_SAID]),
        "has_spectrum": bool(one.path),
    }
    for group in ("columns", "services"):
        told[group] = {printable(str(k), MAX_TEXT): plain(v) for k, v in told[group].items()}
    told |= {name: plain(value) for name, value in told.items() if not isinstance(value, dict)}
    told |= {**OF_AGENTS, "hidden": BLIND} if is_hidden else {}
    verdict = row.opinion.verdict
    return {**told, "verdict": None if verdict is None else verdict.value}


def _judgement(judgement: Judgement) -> dict[str, Any]:
    said = judgement.opinion
    return {
        "reviewer": printable(judgement.reviewer, MAX_TEXT),
        "verdict": None if said.verdict is None else said.verdict.value,
        "confidence": said.confidence,
        "flags": [printable(flag, MAX_TEXT) for flag in said.flags],
        "comment": prose(said.comment, MAX_REASONS),
        "at": printable(judgement.at, MAX_TEXT),
    }


def _inspection(stored: StoredInspection) -> dict[str, Any]:
    record = stored.trajectory
    return {
        "model": printable(record.model.name, MAX_TEXT),
        "verdict": record.verdict,
        "p_yes": plain(record.p_yes),
        "stopped_by": record.stopped_by,
        "reasons": prose(record.plain_reasons, MAX_REASONS),
        "at": printable(stored.at, MAX_TEXT),
    }
