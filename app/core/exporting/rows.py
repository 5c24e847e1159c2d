"""The cells of a catalogue, read from the session page by page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Row

from app.core.database.tables import candidates
from app.core.errors import SessionError
from app.core.exporting.columns import CarriedColumn, Layout
from app.core.exporting.opinions import said_of
from app.core.exporting.selection import Selection, pages

Cells = Sequence[Any]
Page = list[Cells]
"""For each column of the layout its values: text, numbers, truths, or None."""

READ = (
    *("id", "object_id", "ra", "dec", "path", "row"),
    *("agent_verdict", "agent_p_yes", "agent_model", "agent_stopped_by", "list_id", "own"),
)


class UnlistedError(Exception):
    """Values under names that their list did not announce: begin again with room for them."""

    def __init__(self, list_id: int, names: frozenset[str]) -> None:
        super().__init__(list_id, names)
        self.list_id = list_id
        self.names = names


def read_pages(
    connection: Connection, layout: Layout, chosen: Selection, adjudicator: str | None
) -> Iterator[Page]:
    """Raises UnlistedError."""
    columns = [candidates.c[name] for name in (*READ, *layout.fields)]
    for rows in pages(connection, columns, chosen):
        page = _page(connection, rows, layout, chosen, adjudicator)
        if chosen.which == "accepted" and chosen.ids is None:
            page = _kept(page, lambda verdict: verdict == "ACCEPT")
        if page[0]:
            yield page


def _page(
    connection: Connection,
    rows: list[Row[Any]],
    layout: Layout,
    chosen: Selection,
    adjudicator: str | None,
) -> Page:
    columns = list(zip(*rows, strict=True))
    ids, *what = columns[:6]
    verdict, p_yes, model, stopped, list_ids, own = columns[6 : len(READ)]
    said = list(zip(*said_of(connection, ids, chosen, adjudicator), strict=True))
    agent = (verdict, p_yes, _or_none(model), _or_none(stopped))
    theirs = _own(ids, list_ids, own, layout)
    return [*what, *said[:-1], *agent, said[-1], *columns[len(READ) :], *theirs]


def _own(ids: Cells, list_ids: Cells, texts: Cells, layout: Layout) -> list[Cells]:
    values = _parsed(ids, texts)
    for list_id in set(list_ids):
        mine = [each for each, whose in zip(values, list_ids, strict=True) if whose == list_id]
        names = set().union(*mine) - layout.known.get(list_id, frozenset())
        if names:
            raise UnlistedError(list_id, frozenset(names))
    return [_column(values, list_ids, own) for own in layout.own]


def _column(values: list[dict[str, Any]], list_ids: Cells, own: CarriedColumn) -> Cells:
    here = {own.names.get(list_id) for list_id in set(list_ids)}
    if len(here) == 1:
        (name,) = here
        return [None] * len(values) if name is None else [each.get(name) for each in values]
    called = (own.names.get(list_id) for list_id in list_ids)
    return [
        None if name is None else each.get(name) for each, name in zip(values, called, strict=True)
    ]


def _parsed(ids: Cells, texts: Cells) -> list[dict[str, Any]]:
    """All at once where they are what an import writes: a third of the time."""
    try:
        values = json.loads(f"[{','.join(texts)}]")
    except (ValueError, TypeError, RecursionError):
        values = []
    if len(values) == len(texts) and set(map(type, values)) <= {dict}:
        return list(values)
    return [_one(number, text) for number, text in zip(ids, texts, strict=True)]


def _one(number: int, text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise SessionError(f"the session is damaged: candidate {number} has columns of no form")
    return value


def _kept(page: Page, is_wanted: Callable[[Any], bool]) -> Page:
    """The rows with a verdict that is wanted."""
    wanted = [is_wanted(verdict) for verdict in page[5]]
    if all(wanted):
        return page
    return [[cell for cell, keep in zip(cells, wanted, strict=True) if keep] for cells in page]


def _or_none(texts: Cells) -> Cells:
    return [text or None for text in texts]
