"""The first rows of a catalogue that is about to be written, and how many there would be."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from PySide6.QtCore import QCoreApplication
from sqlalchemy import Connection

from app.core.errors import SessionError
from app.core.exporting.columns import AGENT, CONTRACT, LABEL, Column, Layout, read_layout
from app.core.exporting.rows import UnlistedError, read_pages
from app.core.exporting.selection import Selection, Which, count, selection
from app.core.queue import count as count_in_queue
from app.core.queue import matching
from app.core.session.session import Session
from app.core.statistics.adjudication import adjudicator_of
from app.ui.candidate.queue_neighbours import Queue

ROWS = 8
MAX_RETRIES = 50
Asked = Which | Literal["filtered"]


@dataclass(frozen=True, kw_only=True)
class ExportPreview:
    """`cells` by row; `count` in words, as 1,000+ where counting on would take long."""

    columns: tuple[Column, ...]
    cells: tuple[tuple[Any, ...], ...]
    count: str
    telling: frozenset[int]
    """Places of the columns that blind mode hides."""


def preview_export(session: Session, asked: Asked, queue: Queue) -> ExportPreview:
    """Any thread."""
    which = ids_of(session, queue, ROWS) if asked == "filtered" else asked
    with session.database.reading() as connection:
        chosen = selection(connection, which, None)
        layout = read_layout(connection)
        for _ in range(MAX_RETRIES):
            try:
                cells = _first(connection, layout, chosen, adjudicator_of(session))
            except UnlistedError as found:
                layout = layout.with_keys(found.list_id, found.names)
                continue
            break
        else:
            raise SessionError(
                QCoreApplication.translate(
                    "export", "the session is damaged: its lists do not name their columns"
                )
            )
        number = f"{count(connection, chosen):,}" if asked != "filtered" else ""
    number = number or str(count_in_queue(session, queue.tree))
    return ExportPreview(
        columns=layout.columns, cells=cells, count=number, telling=_telling(layout)
    )


def ids_of(session: Session, queue: Queue, limit: int | None = None) -> list[int]:
    """The candidates that the filter shows, in their order."""
    lines = islice(matching(session, queue.tree, queue.sort), limit)
    return [line.candidate.id for line in lines]


def _telling(layout: Layout) -> frozenset[int]:
    hidden = {each.name for each in AGENT}
    found = {number for number, column in enumerate(CONTRACT) if column.name in hidden}
    if LABEL.name in layout.fields:
        found.add(len(CONTRACT) + layout.fields.index(LABEL.name))
    return frozenset(found)


def _first(
    connection: Connection, layout: Layout, chosen: Selection, adjudicator: str | None
) -> tuple[tuple[Any, ...], ...]:
    for page in read_pages(connection, layout, chosen, adjudicator):
        return tuple(islice(zip(*page, strict=True), ROWS))
    return ()
