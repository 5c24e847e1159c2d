"""Select the candidates of a catalogue and read them page by page."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Row, Select, func, select

from app.core.database.tables import candidates, judgements, reviewers
from app.core.errors import SessionError
from app.core.session.counted_text import counted_text
from app.core.session.records import Verdict
from app.core.session.session import MAX_IDS
from app.core.session.verdict_log import find_reviewer

Which = Literal["judged", "accepted", "all"]
PAGE = 500
"""Rows in memory at once; larger pages are slower because they do not fit the processor cache."""


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The candidates with these `ids`, in this order; if None, all that match `which`."""

    which: Which = "all"
    ids: array[int] | None = None
    reviewer: str | None = None
    reviewer_id: int | None = None


def make_selection(
    connection: Connection, which: Which | Iterable[int], reviewer: str | None
) -> Selection:
    number = None if reviewer is None else _reviewer_id(connection, reviewer)
    if isinstance(which, str):
        return Selection(which=which, reviewer=reviewer, reviewer_id=number)
    return Selection(ids=array("q", which), reviewer=reviewer, reviewer_id=number)


def describe(selection: Selection) -> str:
    if selection.ids is not None:
        words = counted_text(len(selection.ids), "selected candidate")
    elif selection.which == "all":
        words = "all candidates"
    else:
        words = f"{selection.which} candidates"
    return words if selection.reviewer is None else f"{words}, by {selection.reviewer}"


def count_candidates(connection: Connection, selection: Selection) -> int:
    """Number of candidates; fewer are written where reviewers disagree about accepted ones."""
    if selection.ids is not None:
        return len(selection.ids)
    if selection.which == "all":
        return connection.execute(select(func.count()).select_from(candidates)).scalar_one()
    number = func.count(judgements.c.candidate_id.distinct())
    return int(connection.execute(_where_judged(select(number), selection)).scalar_one())


def pages(
    connection: Connection, columns: list[Any], selection: Selection
) -> Iterator[list[Row[Any]]]:
    """Pages of rows with these columns of `candidates`, the first of which must be the id."""
    if selection.ids is not None:
        yield from _pages_by_id(connection, columns, selection.ids)
        return
    after = 0
    while rows := connection.execute(_page_query(columns, selection, after)).all():
        yield list(rows)
        after = rows[-1][0]


def _page_query(columns: list[Any], selection: Selection, after: int) -> Select[Any]:
    query = select(*columns).order_by(candidates.c.id)
    if selection.which == "all":
        return query.where(candidates.c.id > after).limit(PAGE)
    number = judgements.c.candidate_id
    judged = _where_judged(select(number), selection).where(number > after)
    wanted = judged.distinct().order_by(number).limit(PAGE).subquery()
    return query.join(wanted, wanted.c.candidate_id == candidates.c.id)


def _where_judged(query: Select[Any], selection: Selection) -> Select[Any]:
    verdicts = [Verdict.ACCEPT] if selection.which == "accepted" else list(Verdict)
    query = query.where(judgements.c.verdict.in_(verdicts))
    if selection.reviewer_id is not None:
        query = query.where(judgements.c.reviewer_id == selection.reviewer_id)
    return query


def _pages_by_id(
    connection: Connection, columns: list[Any], ids: array[int]
) -> Iterator[list[Row[Any]]]:
    for start in range(0, len(ids), MAX_IDS):
        chunk = ids[start : start + MAX_IDS].tolist()
        query = select(*columns).where(candidates.c.id.in_(chunk))
        found = {row[0]: row for row in connection.execute(query)}
        if missing := [number for number in chunk if number not in found]:
            raise SessionError(f"there is no candidate {missing[0]}")
        yield [found[number] for number in chunk]


def _reviewer_id(connection: Connection, name: str) -> int:
    number = find_reviewer(connection, " ".join(name.split()))
    if number is not None:
        return number
    names = connection.execute(select(reviewers.c.name).order_by(reviewers.c.id)).scalars().all()
    known = f"reviewers are {', '.join(map(str, names))}" if names else "there are no verdicts yet"
    raise SessionError(f"this session has no reviewer {name}; {known}")
