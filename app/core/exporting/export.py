"""A session as a catalogue: CSV, ECSV, FITS, VOTable or Parquet, by the suffix of the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import Connection, select

from app.core.atomic_file import disk_errors, written_whole
from app.core.database.tables import candidates, lists
from app.core.errors import SessionError
from app.core.exporting.column_buffer import ColumnBuffer
from app.core.exporting.columns import Layout, read_layout
from app.core.exporting.formats.csv_file import metadata, metadata_path, write_csv
from app.core.exporting.formats.ecsv_file import write_ecsv
from app.core.exporting.formats.parquet_file import parquet_writer
from app.core.exporting.formats.votable_file import write_votable
from app.core.exporting.report import ExportReport
from app.core.exporting.rows import Page, UnlistedError, read_pages
from app.core.exporting.selection import Selection, Which, count, in_words, selection
from app.core.exporting.table import Table
from app.core.progress import Progress, ShouldStop, Steps
from app.core.provenance import Provenance, provenance_in
from app.core.session.session import Session
from app.core.statistics.adjudication import adjudicator_of

FORMATS = {
    ".csv": "csv",
    ".ecsv": "ecsv",
    ".fits": "fits",
    ".fit": "fits",
    ".vot": "votable",
    ".votable": "votable",
    ".xml": "votable",
    ".parquet": "parquet",
}
MAX_RETRIES = 50
LOOKED_AT = 64 * 1024
"""Bytes of either end of a file; one of them says where it comes from."""


def export(
    session: Session,
    out: Path,
    *,
    which: Which | Iterable[int] = "judged",
    reviewer: str | None = None,
    filter_text: str = "",
    progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> ExportReport:
    """Write a row for each of the candidates; the file is there whole or not at all.

    `which` may be ids, in the order wanted, and `filter_text` the words they were found by.
    `reviewer`: what that one says; without, what all come to: see agreement.adjudication.final_of.
    Nobody who records a verdict meanwhile has to wait. Raises StoppedError.
    """
    format_ = _format(out)
    with session.database.reading() as connection:
        _refuse_own(connection, out, session.id)
        chosen = selection(connection, which, reviewer)
        words = in_words(chosen) + (f"; filter: {filter_text}" if filter_text else "")
        work = _Work(
            connection=connection,
            out=out,
            chosen=chosen,
            facts=provenance_in(connection, session, words),
            adjudicator=adjudicator_of(session),
            steps=Steps("export", _steps(connection, chosen, format_), progress, should_stop),
        )
        layout = read_layout(connection)
        for _ in range(MAX_RETRIES):
            try:
                rows = _write(work, layout, format_)
            except UnlistedError as found:
                layout = layout.with_keys(found.list_id, found.names)
                work.steps.restart()
                continue
            break
        else:
            raise SessionError("the session is damaged: its lists do not name their columns")
    return ExportReport(
        path=out,
        format=format_,
        rows=rows,
        columns=tuple(column.name for column in layout.columns),
        renamed=layout.renamed,
        selection=words,
        metadata=metadata_path(out) if format_ == "csv" else None,
    )


@dataclass(frozen=True, kw_only=True)
class _Work:
    connection: Connection
    out: Path
    chosen: Selection
    facts: Provenance
    adjudicator: str | None
    steps: Steps


def _steps(connection: Connection, chosen: Selection, format_: str) -> int:
    return count(connection, chosen) * (1 if format_ == "csv" else 2)


def _write(work: _Work, layout: Layout, format_: str) -> int:
    """How many rows were written."""
    if format_ == "csv":
        return _write_rows(work, layout)
    folder = work.out.absolute().parent
    if not folder.is_dir():
        raise SessionError(f"{folder} is not a folder; make it first")
    write = _writer(format_, folder)
    with disk_errors(work.out), ColumnBuffer(folder) as spool:
        for page in _pages(work, layout):
            spool.add(page)
        table = Table(layout.columns, spool, work.steps.step)
        with written_whole(work.out) as file:
            write(file, table, work.facts)
        return table.rows


def _writer(format_: str, folder: Path) -> Callable[[BinaryIO, Table, Provenance], None]:
    if format_ == "ecsv":
        return write_ecsv
    if format_ == "votable":
        return write_votable
    if format_ == "parquet":
        return parquet_writer()
    from app.core.exporting.formats.fits_file import write_fits  # astropy is slow to load

    return partial(write_fits, folder=folder)


def _write_rows(work: _Work, layout: Layout) -> int:
    rows = 0

    def counted() -> Iterator[Page]:
        nonlocal rows
        for page in _pages(work, layout):
            rows += len(page[0])
            yield page

    with written_whole(work.out) as file:
        write_csv(file, layout.columns, counted())
        with written_whole(metadata_path(work.out)) as beside:
            beside.write(metadata(work.out, layout.columns, rows, work.facts).encode())
    return rows


def _pages(work: _Work, layout: Layout) -> Iterator[Page]:
    for page in read_pages(work.connection, layout, work.chosen, work.adjudicator):
        yield page
        work.steps.step(len(page[0]))


def _format(out: Path) -> str:
    found = FORMATS.get(out.suffix.casefold())
    if found is None:
        known = ", ".join(FORMATS)
        raise SessionError(f"{out.name}: no format is written to such a name; there are {known}")
    return found


def _refuse_own(connection: Connection, out: Path, session_id: str) -> None:
    """What a session was made from is not ours to overwrite."""
    if not out.is_file() or _is_export(out, session_id):
        return
    for path in connection.execute(select(lists.c.path)).scalars():
        with suppress(OSError, ValueError):  # of a path that is none
            if Path(str(path)).samefile(out):
                raise SessionError(f"{out} is a list of this session: choose another name")
    names = {str(out.absolute()), str(out.resolve())}
    query = select(candidates.c.id).where(candidates.c.path.in_(names)).limit(1)
    if connection.execute(query).first() is not None:
        raise SessionError(f"{out} holds a spectrum of this session: choose another name")


def _is_export(out: Path, session_id: str) -> bool:
    """Whether this session wrote it before: no need to look for it among a million."""
    with suppress(OSError):
        about = metadata_path(out) if _format(out) == "csv" else out
        with about.open("rb") as file:
            beginning = file.read(LOOKED_AT)
            file.seek(max(0, about.stat().st_size - LOOKED_AT))
            return session_id.encode() in beginning + file.read()
    return False
