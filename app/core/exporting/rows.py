"""Read the rows of a catalogue from the session, page by page."""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, Row

from agent.tasks.task import Task
from app.core.database.tables import candidates
from app.core.errors import SessionError
from app.core.exporting.columns import CarriedColumn, Layout, read_layout
from app.core.exporting.evidence_columns import combined_cells, evidence_cells
from app.core.exporting.further_columns import further_opinion_cells, line_cells, model_cells
from app.core.exporting.opinions import opinion_cells
from app.core.exporting.selection import Selection, Which, make_selection, pages
from app.core.session.session import Session

T = TypeVar("T")
MAX_RETRIES = 50
Cells = Sequence[Any]
Page = list[Cells]  # The values of each column of the layout: text, number, bool or None.

CANDIDATE_FIELDS = (
    *("id", "object_id", "ra", "dec", "path", "listed_path", "row"),
    *("agent_verdict", "agent_p_yes", "agent_model", "agent_stopped_by", "agent_members"),
    *("list_id", "own"),
)


class UndeclaredColumnError(Exception):
    """A candidate has values in columns that its list did not declare: restart with these added."""

    def __init__(self, list_id: int, names: frozenset[str]) -> None:
        super().__init__(list_id, names)
        self.list_id = list_id
        self.names = names


def with_layout(
    connection: Connection, task: Task, make: Callable[[Layout], T]
) -> tuple[T, Layout]:
    """What `make` makes, and the layout with all columns that the candidates turn out to have."""
    layout = read_layout(connection, task)
    for _ in range(MAX_RETRIES):
        try:
            return make(layout), layout
        except UndeclaredColumnError as found:
            layout = layout.with_keys(found.list_id, found.names)
    raise SessionError("the session is damaged: its lists do not declare their columns")


def read_pages(
    connection: Connection, layout: Layout, selection: Selection, adjudicator: str | None
) -> Iterator[Page]:
    """Raises UndeclaredColumnError."""
    columns = [candidates.c[name] for name in (*CANDIDATE_FIELDS, *layout.roles)]
    for rows in pages(connection, columns, selection):
        if rows:
            yield _page(connection, rows, layout, selection, adjudicator)


def _page(
    connection: Connection,
    rows: list[Row[Any]],
    layout: Layout,
    selection: Selection,
    adjudicator: str | None,
) -> Page:
    columns = list(zip(*rows, strict=True))
    ids, object_ids, ra, dec, paths, listed, numbers = columns[:7]
    verdict, p_yes, model, stopped, members, list_ids, own = columns[7 : len(CANDIDATE_FIELDS)]
    said = list(zip(*opinion_cells(connection, ids, selection, adjudicator), strict=True))
    *opinion, seen, subclasses, fields, velocities, orders = said
    further_opinion = further_opinion_cells(layout.further, subclasses, fields, velocities, orders)
    agent = (verdict, p_yes, _or_none(model), _or_none(stopped), _or_none(members))
    carried = _carried_columns(ids, list_ids, own, layout)
    roles = columns[len(CANDIDATE_FIELDS) :]
    basic = (object_ids, ra, dec, *path_cells(paths, listed), numbers)
    further = [
        *model_cells(connection, ids, layout.models),
        *line_cells(connection, ids, layout.lines, selection),
        *evidence_cells(connection, ids, layout.services),
        *combined_cells(connection, layout.weighed, ids),
    ]
    return [*basic, *opinion, *agent, seen, *further_opinion, *roles, *further, *carried]


def _carried_columns(ids: Cells, list_ids: Cells, texts: Cells, layout: Layout) -> list[Cells]:
    values = _parse_all(ids, texts)
    for list_id in set(list_ids):
        of_list = [each for each, its in zip(values, list_ids, strict=True) if its == list_id]
        names = set().union(*of_list) - layout.known(list_id)
        if names:
            raise UndeclaredColumnError(list_id, frozenset(names))
    return [_column(values, list_ids, own) for own in layout.own]


def _column(values: list[dict[str, Any]], list_ids: Cells, own: CarriedColumn) -> Cells:
    names = {own.names.get(list_id) for list_id in set(list_ids)}
    if len(names) == 1:
        (name,) = names
        return [None] * len(values) if name is None else [each.get(name) for each in values]
    keys = (own.names.get(list_id) for list_id in list_ids)
    return [
        None if name is None else each.get(name) for each, name in zip(values, keys, strict=True)
    ]


def _parse_all(ids: Cells, texts: Cells) -> list[dict[str, Any]]:
    """Parse the JSON of all candidates, in one call if possible, which is three times as fast."""
    try:
        values = json.loads(f"[{','.join(texts)}]")
    except (ValueError, TypeError, RecursionError):
        values = []
    if len(values) == len(texts) and set(map(type, values)) <= {dict}:
        return list(values)
    return [_parse_one(number, text) for number, text in zip(ids, texts, strict=True)]


def _parse_one(number: int, text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise SessionError(f"the session is damaged: candidate {number} has invalid columns")
    return value


def _or_none(texts: Cells) -> Cells:
    return [text or None for text in texts]


def selected_ids(
    session: Session, which: Which | Iterable[int], reviewer: str | None = None
) -> array[int]:
    """The ids of the candidates that `export` would write, in its order."""
    selected = array("q")
    with session.database.reading() as connection:
        selection = make_selection(connection, which, reviewer)
        for rows in pages(connection, [candidates.c.id], selection):
            selected.extend(row[0] for row in rows)
    return selected


def path_cells(paths: Sequence[str], listed: Sequence[str]) -> tuple[list[str], list[str | None]]:
    """Two columns, which joined are the file: a relative path with its folder, or the whole path.

    `listed` is empty where the list gives the whole path or none. A file found in another place
    than the list says is given by its whole path.
    """
    pairs = [_split(path, text) for path, text in zip(paths, listed, strict=True)]
    return [path for path, _ in pairs], [folder for _, folder in pairs]


def _split(path: str, text: str) -> tuple[str, str | None]:
    if not text:
        return path, None
    end = os.sep + text
    if not path.endswith(end):
        end = os.sep + os.path.normpath(text.replace("\\", "/"))
        if not path.endswith(end):
            return path, None
    return text, path[: -len(end)] or os.sep
