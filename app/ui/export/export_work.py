"""What leaves a session: a catalogue, a report, the agents' records, a copy for a colleague."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path

from app.core.database.database import SUFFIX
from app.core.exporting.export import FORMATS, export
from app.core.exporting.formats.records_file import write_records
from app.core.packing import pack, read_spectrum
from app.core.queue import filter_text
from app.core.session.session import Session
from app.ui.candidate.queue_neighbours import Queue
from app.ui.export.export_preview import Asked, ids_of

SUFFIXES = {
    "csv": ".csv",
    "ecsv": ".ecsv",
    "fits": ".fits",
    "votable": ".vot",
    "parquet": ".parquet",
}
"""Of the formats of a catalogue."""


class ExportKind(Enum):
    CATALOGUE = "catalogue"
    REPORT = "report"
    RECORDS = "records"
    PACKED = "packed"


@dataclass(frozen=True, kw_only=True)
class ExportOrder:
    """`asked` and `queue` are for a catalogue."""

    kind: ExportKind
    out: Path
    queue: Queue
    asked: Asked = "judged"


@dataclass(frozen=True, kw_only=True)
class Written:
    """`rows` counts rows, records or spectra; 0 for a report. `notes` are worth knowing."""

    kind: ExportKind
    path: Path
    rows: int
    notes: tuple[str, ...] = ()


def write(
    session: Session,
    order: ExportOrder,
    tell: Callable[[int, int], None],
    should_stop: Callable[[], bool],
) -> Written:
    """Any thread. The file is there whole or not at all; raises a WorkbenchError."""
    if order.kind is ExportKind.REPORT:
        from app.core.report import write_report  # its pictures are slow to load

        write_report(session, order.out, partial(read_spectrum, session))
        return Written(kind=order.kind, path=order.out, rows=0)
    if order.kind is ExportKind.RECORDS:
        rows = write_records(session, order.out, progress=tell, should_stop=should_stop)
        return Written(kind=order.kind, path=order.out, rows=rows)
    if order.kind is ExportKind.PACKED:
        return _pack(session, order, tell, should_stop)
    return _catalogue(session, order, tell, should_stop)


def suffixes_of(kind: ExportKind) -> tuple[str, ...]:
    """That a file of this kind may have; the first is the usual one."""
    match kind:
        case ExportKind.REPORT:
            return (".html", ".htm")
        case ExportKind.RECORDS:
            return (".jsonl",)
        case ExportKind.PACKED:
            return (SUFFIX,)
        case ExportKind.CATALOGUE:
            return tuple(FORMATS)


def _catalogue(
    session: Session,
    order: ExportOrder,
    tell: Callable[[int, int], None],
    should_stop: Callable[[], bool],
) -> Written:
    is_filtered = order.asked == "filtered"
    report = export(
        session,
        order.out,
        which=ids_of(session, order.queue) if order.asked == "filtered" else order.asked,
        filter_text=filter_text(order.queue.tree) if is_filtered else "",
        progress=tell,
        should_stop=should_stop,
    )
    notes = [f"{old} → {new}" for old, new in report.renamed.items()]
    if report.metadata is not None:
        notes.append(report.metadata.name)
    return Written(kind=order.kind, path=report.path, rows=report.rows, notes=tuple(notes))


def _pack(
    session: Session,
    order: ExportOrder,
    tell: Callable[[int, int], None],
    should_stop: Callable[[], bool],
) -> Written:
    report = pack(session, order.out, progress=tell, should_stop=should_stop)
    notes = tuple(f"{each.object_id}: {each.reason}" for each in report.unreadable)
    return Written(kind=order.kind, path=report.path, rows=report.packed, notes=notes)
