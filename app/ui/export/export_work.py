"""Writes exports of a session: catalogue, report, agent records, packed copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path

from app.core.database.database import SUFFIX
from app.core.exporting.export import all_formats, export
from app.core.exporting.formats.records_file import write_records
from app.core.exporting.selection import Which
from app.core.queue import filter_text
from app.core.session.session import Session
from app.core.spectra.packing import pack, read_spectrum
from app.ui.candidate.queue_neighbours import Queue
from app.ui.export.export_preview import ExportChoice, candidate_ids

SUFFIXES = {
    "csv": ".csv",
    "ecsv": ".ecsv",
    "fits": ".fits",
    "votable": ".vot",
    "parquet": ".parquet",
}
"""File suffix by catalogue format."""


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
    selected: tuple[int, ...] = ()
    """Ids of the candidates of the choice "selected"."""


@dataclass(frozen=True, kw_only=True)
class WrittenFile:
    """`rows` counts rows, records or spectra; 0 for a report. `notes` are for the user."""

    kind: ExportKind
    path: Path
    rows: int
    notes: tuple[str, ...] = ()


def write(
    session: Session,
    order: ExportOrder,
    progress: Callable[[int, int], None],
    should_stop: Callable[[], bool],
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
    session: Session,
    order: ExportOrder,
    progress: Callable[[int, int], None],
    should_stop: Callable[[], bool],
) -> WrittenFile:
    is_filtered = order.choice == "filtered"
    which: Which | Sequence[int]
    if order.choice == "filtered":
        which = candidate_ids(session, order.queue)
    else:
        which = order.selected if order.choice == "selected" else order.choice
    report = export(
        session,
        order.out,
        which=which,
        filter_text=filter_text(order.queue.tree) if is_filtered else "",
        progress=progress,
        should_stop=should_stop,
    )
    notes = [f"{old} → {new}" for old, new in report.renamed.items()]
    if report.metadata is not None:
        notes.append(report.metadata.name)
    return WrittenFile(kind=order.kind, path=report.path, rows=report.rows, notes=tuple(notes))
