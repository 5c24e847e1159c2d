"""Writes exports of a session: catalogue, report, agent records, packed copy."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from app.core.database.database import SUFFIX
from app.core.exporting.columns import Layout
from app.core.exporting.export import all_formats, export
from app.core.exporting.formats.records_file import write_records
from app.core.exporting.rows import read_pages, with_layout
from app.core.exporting.selection import (
    ChoiceCounts,
    Which,
    count_candidates,
    count_choices,
    count_disputed,
    make_selection,
)
from app.core.exporting.table import Column
from app.core.progress import Progress, ShouldStop
from app.core.queue import count as count_in_queue
from app.core.queue import filter_text, matching_ids
from app.core.session.session import Session
from app.core.spectra.packing import pack, read_spectrum
from app.core.statistics.adjudication import adjudicator_of
from app.ui.session.candidate.queue_neighbours import Queue

SUFFIXES = {
    "csv": ".csv",
    "ecsv": ".ecsv",
    "fits": ".fits",
    "votable": ".vot",
    "parquet": ".parquet",
}
"""File suffix by catalogue format."""

ROWS = 8
ExportChoice = Which | Literal["filtered", "selected"]


class ExportKind(Enum):
    CATALOGUE = "catalogue"
    REPORT = "report"
    RECORDS = "records"
    PACKED = "packed"


@dataclass(frozen=True, kw_only=True)
class ExportOrder:
    """A file to write; only a catalogue has a choice of candidates."""

    kind: ExportKind
    out: Path
    queue: Queue
    choice: ExportChoice = "judged"
    selected: tuple[int, ...] = ()  # ids of the candidates of the choice "selected"


@dataclass(frozen=True, kw_only=True)
class WrittenFile:
    """`rows` counts rows, records or spectra; 0 for a report. `notes` are for the user."""

    kind: ExportKind
    path: Path
    rows: int
    notes: tuple[str, ...] = ()


def write(
    session: Session, order: ExportOrder, progress: Progress, should_stop: ShouldStop
) -> WrittenFile:
    """Write the file atomically; any thread. Raises WorkbenchError."""
    if order.kind is ExportKind.REPORT:
        from app.core.report import write_report  # slow to import because of matplotlib

        write_report(session, order.out, partial(read_spectrum, session))
        return WrittenFile(kind=order.kind, path=order.out, rows=0)
    if order.kind is ExportKind.RECORDS:
        rows = write_records(session, order.out, progress=progress, should_stop=should_stop)
        return WrittenFile(kind=order.kind, path=order.out, rows=rows)
    if order.kind is ExportKind.PACKED:
        report = pack(session, order.out, progress=progress, should_stop=should_stop)
        notes = tuple(f"{each.object_id}: {each.reason}" for each in report.unreadable)
        return WrittenFile(kind=order.kind, path=report.path, rows=report.packed, notes=notes)
    return _catalogue(session, order, progress, should_stop)


def suffixes_of(kind: ExportKind) -> tuple[str, ...]:
    """Suffixes of this kind of file; the first is the default."""
    match kind:
        case ExportKind.REPORT:
            return (".html", ".htm")
        case ExportKind.RECORDS:
            return (".jsonl",)
        case ExportKind.PACKED:
            return (SUFFIX,)
        case ExportKind.CATALOGUE:
            return tuple(all_formats())


def _catalogue(
    session: Session, order: ExportOrder, progress: Progress, should_stop: ShouldStop
) -> WrittenFile:
    report = export(
        session,
        order.out,
        which=_which(session, order.choice, order.queue, order.selected),
        filter_text=filter_text(order.queue.tree) if order.choice == "filtered" else "",
        progress=progress,
        should_stop=should_stop,
    )
    notes = [f"{old} → {new}" for old, new in report.renamed.items()]
    if report.metadata is not None:
        notes.append(report.metadata.name)
    return WrittenFile(kind=order.kind, path=report.path, rows=report.rows, notes=tuple(notes))


# Previews a catalogue export: its first rows and the number of rows.
@dataclass(frozen=True, kw_only=True)
class ExportPreview:
    """`cells` by row; `count` as text, because large counts are shortened to 1,000+."""

    columns: tuple[Column, ...]
    cells: tuple[tuple[Any, ...], ...]
    count: str
    disputed: int  # candidates left out because not all reviewers accepted them
    hidden_when_blind: frozenset[int]  # indices of the columns that blind mode hides
    choices: ChoiceCounts | None = None
    """How many rows other choices have; None where this one has rows."""

    @property
    def is_empty(self) -> bool:
        return not self.cells


def preview_export(
    session: Session, choice: ExportChoice, queue: Queue, selected: Sequence[int] = ()
) -> ExportPreview:
    """Read the preview; any thread."""
    which = _which(session, choice, queue, selected, ROWS)
    with session.database.reading() as connection:
        chosen = make_selection(connection, which, None)
        adjudicator = adjudicator_of(session)

        def first_rows(layout: Layout) -> tuple[tuple[Any, ...], ...]:
            pages = read_pages(connection, layout, chosen, adjudicator)
            return tuple(islice(zip(*next(iter(pages), ()), strict=True), ROWS))

        cells, layout = with_layout(connection, session.task, first_rows)
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


def _which(
    session: Session,
    choice: ExportChoice,
    queue: Queue,
    selected: Sequence[int],
    limit: int | None = None,
) -> Which | Sequence[int]:
    if choice == "filtered":
        return candidate_ids(session, queue, limit)
    return selected if choice == "selected" else choice


def candidate_ids(session: Session, queue: Queue, limit: int | None = None) -> list[int]:
    """The candidates shown by the filter, in order."""
    return list(islice(matching_ids(session, queue.tree, queue.sort), limit))
