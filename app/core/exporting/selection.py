"""Select the candidates of a catalogue and read them page by page."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Row, Select, case, func, select

from app.core.database.tables import candidates, facts, judgements, reviewers
from app.core.errors import SessionError, counted_text
from app.core.session.known_answers import not_known, without_known
from app.core.session.records import Verdict
from app.core.session.session import MAX_IDS
from app.core.session.verdict_log import find_reviewer
from app.core.statistics.verdicts import ADJUDICATOR

Which = Literal["judged", "accepted", "all"]
PAGE = 500
"""Rows in memory at once; larger pages are slower because they do not fit the processor cache."""


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The candidates with these `ids`, in this order; if None, all that match `which`.

    Hidden candidates with a known answer are never among them.
    """

    which: Which = "all"
    ids: array[int] | None = None
    reviewer: str | None = None
    reviewer_id: int | None = None
    adjudicator_id: int | None = None


def make_selection(
    connection: Connection, which: Which | Iterable[int], reviewer: str | None
) -> Selection:
    number = None
    if reviewer is not None:
        number = find_reviewer(connection, " ".join(reviewer.split()))
        if number is None:
            query = select(reviewers.c.name).order_by(reviewers.c.id)
            names = [str(name) for name in connection.execute(query).scalars()]
            known = f"reviewers are {', '.join(names)}" if names else "there are no verdicts yet"
            raise SessionError(f"this session has no reviewer {reviewer}; {known}")
    if not isinstance(which, str):
        ids = array("q", without_known(connection, [*which]))
        return Selection(ids=ids, reviewer=reviewer, reviewer_id=number)
    decides = select(reviewers.c.id).join(facts, facts.c.value == reviewers.c.name)
    return Selection(
        which=which,
        reviewer=reviewer,
        reviewer_id=number,
        adjudicator_id=connection.execute(decides.where(facts.c.key == ADJUDICATOR)).scalar(),
    )


def describe(selection: Selection) -> str:
    if selection.ids is not None:
        words = counted_text(len(selection.ids), "selected candidate")
    elif selection.which == "all":
        words = "all candidates"
    else:
        words = f"{selection.which} candidates"
    return words if selection.reviewer is None else f"{words}, by {selection.reviewer}"


def count_candidates(connection: Connection, selection: Selection) -> int:
    if selection.ids is not None:
        return len(selection.ids)
    every = select(candidates.c.id).where(not_known(candidates.c.id))
    chosen = every if selection.which == "all" else _judged(selection)
    query = select(func.count()).select_from(chosen.subquery())
    return connection.execute(query).scalar_one()


@dataclass(frozen=True, kw_only=True)
class ChoiceCounts:
    """How many candidates each choice would write."""

    accepted: int
    judged: int
    all: int


def count_choices(connection: Connection) -> ChoiceCounts:
    """For what is told where a choice turns out to be empty."""
    accepted, judged, every = (
        count_candidates(connection, make_selection(connection, which, None))
        for which in ("accepted", "judged", "all")
    )
    return ChoiceCounts(accepted=accepted, judged=judged, all=every)


def count_disputed(connection: Connection, selection: Selection) -> int:
    """Number of candidates that somebody accepted and that are not selected as accepted."""
    if selection.which != "accepted" or selection.reviewer_id is not None:
        return 0
    number, verdict = judgements.c.candidate_id, judgements.c.verdict
    query = select(func.count(number.distinct()))
    query = query.where(verdict == Verdict.ACCEPT, not_known(number))
    return connection.execute(query).scalar_one() - count_candidates(connection, selection)


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
        return query.where(candidates.c.id > after, not_known(candidates.c.id)).limit(PAGE)
    number = judgements.c.candidate_id
    judged = _judged(selection).where(number > after).order_by(number).limit(PAGE)
    wanted = judged.subquery()
    return query.join(wanted, wanted.c.candidate_id == candidates.c.id)


def _judged(selection: Selection) -> Select[tuple[int]]:
    """Ids of the judged candidates, or of those whose final verdict is to accept.

    As in `final_opinion`: the adjudicator's verdict, otherwise a unanimous one.
    """
    number, verdict, reviewer = (
        judgements.c[name] for name in ("candidate_id", "verdict", "reviewer_id")
    )
    query = select(number).where(verdict.in_(list(Verdict)), not_known(number)).group_by(number)
    if selection.reviewer_id is not None:
        query = query.where(reviewer == selection.reviewer_id)
    if selection.which != "accepted":
        return query
    unanimous = case((func.min(verdict) == func.max(verdict), func.min(verdict)))
    if selection.adjudicator_id is None:
        return query.having(unanimous == Verdict.ACCEPT)
    settles = func.max(case((reviewer == selection.adjudicator_id, verdict)))
    return query.having(func.coalesce(settles, unanimous) == Verdict.ACCEPT)


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
