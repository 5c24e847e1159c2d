"""Previews a catalogue export: its first rows and the number of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from PySide6.QtCore import QCoreApplication
from sqlalchemy import Connection

from app.core.errors import SessionError
from app.core.exporting.column import Column
from app.core.exporting.columns import Layout, read_layout
from app.core.exporting.rows import UndeclaredColumnError, read_pages
from app.core.exporting.selection import (
    ChoiceCounts,
    Selection,
    Which,
    count_candidates,
    count_choices,
    count_disputed,
    make_selection,
)
from app.core.queue import count as count_in_queue
from app.core.queue import matching_ids
from app.core.session.session import Session
from app.core.statistics.adjudication import adjudicator_of
from app.ui.candidate.queue_neighbours import Queue

ROWS = 8
MAX_RETRIES = 50
ExportChoice = Which | Literal["filtered", "selected"]


@dataclass(frozen=True, kw_only=True)
class ExportPreview:
    """`cells` by row; `count` as text, because large counts are shortened to 1,000+."""

    columns: tuple[Column, ...]
    cells: tuple[tuple[Any, ...], ...]
    count: str
    disputed: int
    """Candidates left out because not all reviewers accepted them."""
    hidden_when_blind: frozenset[int]
    """Indices of the columns that blind mode hides."""
    choices: ChoiceCounts | None = None
    """How many rows other choices have; None where this one has rows."""

    @property
    def is_empty(self) -> bool:
        return not self.cells


def preview_export(
    session: Session, choice: ExportChoice, queue: Queue, selected: Sequence[int] = ()
) -> ExportPreview:
    """Read the preview; any thread."""
    which: Which | Sequence[int]
    if choice == "filtered":
        which = candidate_ids(session, queue, ROWS)
    else:
        which = selected if choice == "selected" else choice
    with session.database.reading() as connection:
        chosen = make_selection(connection, which, None)
        layout = read_layout(connection, session.task)
        for _ in range(MAX_RETRIES):
            try:
                cells = _first_rows(connection, layout, chosen, adjudicator_of(session))
            except UndeclaredColumnError as error:
                layout = layout.with_keys(error.list_id, error.names)
                continue
            break
        else:
            raise SessionError(
                QCoreApplication.translate(
                    "export", "the session is damaged: column names are missing from its lists"
                )
            )
        number = f"{count_candidates(connection, chosen):,}" if choice != "filtered" else ""
        disputed = count_disputed(connection, chosen)
        choices = None if cells else count_choices(connection)
    return ExportPreview(
        columns=layout.columns,
        cells=cells,
        count=number or str(count_in_queue(session, queue.tree)),
        disputed=disputed,
        hidden_when_blind=layout.giving_class_away,
        choices=choices,
    )


def candidate_ids(session: Session, queue: Queue, limit: int | None = None) -> list[int]:
    """The candidates shown by the filter, in order."""
    return list(islice(matching_ids(session, queue.tree, queue.sort), limit))


def _first_rows(
    connection: Connection, layout: Layout, chosen: Selection, adjudicator: str | None
) -> tuple[tuple[Any, ...], ...]:
    for page in read_pages(connection, layout, chosen, adjudicator):
        return tuple(islice(zip(*page, strict=True), ROWS))
    return ()
