"""Export a session as CSV, ECSV, FITS, VOTable, Parquet or a plug-in's format, by file suffix."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from sqlalchemy import Connection, select

from agent.atomic_file import atomic_file, write_file
from app.core.database.tables import candidates, lists
from app.core.errors import SessionError, disk_errors
from app.core.exporting.columns import Layout
from app.core.exporting.formats.csv_file import metadata, metadata_path, write_csv
from app.core.exporting.formats.ecsv_file import write_ecsv
from app.core.exporting.formats.parquet_file import parquet_writer
from app.core.exporting.formats.votable_file import write_votable
from app.core.exporting.plugin_formats import plugin_formats, plugin_writer, to_astropy
from app.core.exporting.rows import Page, read_pages, with_layout
from app.core.exporting.selection import (
    Selection,
    Which,
    count_candidates,
    describe,
    make_selection,
)
from app.core.exporting.table import Column, Table
from app.core.progress import Progress, ShouldStop, Steps
from app.core.session.provenance import Provenance, provenance_in
from app.core.session.session import Session
from app.core.statistics.adjudication import adjudicator_of

if TYPE_CHECKING:
    from astropy.table import Table as AstropyTable

FORMATS = {
    **{".csv": "csv", ".ecsv": "ecsv", ".fits": "fits", ".fit": "fits"},
    **{".vot": "votable", ".votable": "votable", ".xml": "votable", ".parquet": "parquet"},
}
"""Our formats by suffix; `all_formats` has those of plug-ins, too."""
SEARCHED_BYTES = 64 * 1024  # bytes searched for the session id at each end of an existing file


@dataclass(frozen=True, kw_only=True)
class ExportReport:
    """What was written. `metadata` is the file next to a CSV with its units and provenance."""

    path: Path
    format: str
    rows: int
    columns: tuple[str, ...]
    renamed: Mapping[str, str]
    """New names of list columns whose name was already used, by their name in the list."""
    selection: str
    metadata: Path | None = None


def all_formats() -> dict[str, str]:
    return {**plugin_formats(), **FORMATS}


def export(
    session: Session,
    out: Path,
    *,
    which: Which | Iterable[int] = "judged",
    reviewer: str | None = None,
    filter_text: str = "",
    without_agent: bool = False,
    progress: Progress | None = None,
    should_stop: ShouldStop | None = None,
) -> ExportReport:
    """Write one row per candidate, atomically.

    `which` may be ids, in the order wanted; `filter_text` is the filter that selected them.
    `reviewer` selects that person's verdicts; None means the final ones, see
    app.core.statistics.adjudication.final_of. `without_agent` leaves out what blind mode hides.
    Does not block the recording of verdicts. Raises StoppedError.
    """
    format_ = _format(out)
    with session.database.reading() as connection:
        _refuse_source_file(connection, out, session.id)
        selection = make_selection(connection, which, reviewer)
        words = describe(selection) + (f"; filter: {filter_text}" if filter_text else "")
        number = count_candidates(connection, selection) * (1 if format_ == "csv" else 2)
        job = _ExportJob(
            connection=connection,
            selection=selection,
            provenance=provenance_in(connection, session, words),
            adjudicator=adjudicator_of(session),
            steps=Steps("export", number, progress, should_stop),
            without_agent=without_agent,
        )
        rows, layout = with_layout(
            connection, session.task, lambda layout: _write(job, out, layout, format_)
        )
    return ExportReport(
        path=out,
        format=format_,
        rows=rows,
        columns=tuple(column.name for column in _columns(job, layout)),
        renamed=layout.renamed,
        selection=words,
        metadata=metadata_path(out) if format_ == "csv" else None,
    )


def read_catalogue(
    session: Session,
    *,
    which: Which | Iterable[int] = "all",
    reviewer: str | None = None,
    without_agent: bool = False,
) -> AstropyTable:
    """The catalogue that `export` would write, in memory as an astropy Table."""
    with session.database.reading() as connection:
        selection = make_selection(connection, which, reviewer)
        job = _ExportJob(
            connection=connection,
            selection=selection,
            provenance=provenance_in(connection, session, describe(selection)),
            adjudicator=adjudicator_of(session),
            steps=Steps("reading", count_candidates(connection, selection), None, None),
            without_agent=without_agent,
        )

        def make(layout: Layout) -> AstropyTable:
            with _buffered(job, layout, Path(tempfile.gettempdir())) as table:
                return to_astropy(table, job.provenance)

        return with_layout(connection, session.task, make)[0]


@dataclass(frozen=True, kw_only=True)
class _ExportJob:
    connection: Connection
    selection: Selection
    provenance: Provenance
    adjudicator: str | None
    steps: Steps
    without_agent: bool


def _write(job: _ExportJob, out: Path, layout: Layout, format_: str) -> int:
    """Write the file; returns the number of rows."""
    if format_ == "csv":
        columns = _columns(job, layout)
        with disk_errors(out), atomic_file(out) as file:
            rows = write_csv(file, [column.name for column in columns], _pages(job, layout))
            with disk_errors(metadata_path(out)):
                write_file(metadata_path(out), metadata(out, columns, rows, job.provenance))
        return rows
    folder = out.absolute().parent
    if not folder.is_dir():
        raise SessionError(f"{folder} is not an existing folder: create it first")
    write = _writer(format_, folder)
    with disk_errors(out), _buffered(job, layout, folder) as table, atomic_file(out) as file:
        write(file, table, job.provenance)
        return table.rows


@contextmanager
def _buffered(job: _ExportJob, layout: Layout, folder: Path) -> Iterator[Table]:
    with Table(_columns(job, layout), folder, job.steps.step) as table:
        for page in _pages(job, layout):
            table.add(page)
        yield table


def _writer(format_: str, folder: Path) -> Callable[[BinaryIO, Table, Provenance], None]:
    if format_ == "ecsv":
        return write_ecsv
    if format_ == "votable":
        return write_votable
    if format_ == "parquet":
        return parquet_writer()
    if format_ != "fits":
        return plugin_writer(format_)
    from app.core.exporting.formats.fits_file import write_fits  # astropy is slow to load

    return partial(write_fits, folder=folder)


def _columns(job: _ExportJob, layout: Layout) -> tuple[Column, ...]:
    return tuple(layout.columns[number] for number in _kept(job, layout))


def _kept(job: _ExportJob, layout: Layout) -> list[int]:
    hidden = layout.giving_class_away if job.without_agent else frozenset()
    return [number for number in range(len(layout.columns)) if number not in hidden]


def _pages(job: _ExportJob, layout: Layout) -> Iterator[Page]:
    kept = _kept(job, layout)
    job.steps.restart()  # once more for each layout tried
    for page in read_pages(job.connection, layout, job.selection, job.adjudicator):
        yield [page[number] for number in kept]
        job.steps.step(len(page[0]))


def _format(out: Path) -> str:
    formats = all_formats()
    found = formats.get(out.suffix.casefold())
    if found is None:
        raise SessionError(f"{out.name}: unknown suffix; use one of {', '.join(formats)}")
    return found


def _refuse_source_file(connection: Connection, out: Path, session_id: str) -> None:
    """Raise if `out` is a list or a spectrum of the session."""
    if not out.is_file() or _is_export(out, session_id):
        return
    for path in connection.execute(select(lists.c.path)).scalars():
        with suppress(OSError, ValueError):  # the stored path may be invalid
            if Path(str(path)).samefile(out):
                raise SessionError(f"{out} is a list of this session: choose another name")
    names = {str(out.absolute()), str(out.resolve())}
    query = select(candidates.c.id).where(candidates.c.path.in_(names)).limit(1)
    if connection.execute(query).first() is not None:
        raise SessionError(f"{out} is a spectrum file of this session: choose another name")


def _is_export(out: Path, session_id: str) -> bool:
    """Whether this session wrote the file before; saves searching a million candidates."""
    with suppress(OSError):
        marked = metadata_path(out) if _format(out) == "csv" else out
        with marked.open("rb") as file:
            beginning = file.read(SEARCHED_BYTES)
            file.seek(max(0, marked.stat().st_size - SEARCHED_BYTES))
            return session_id.encode() in beginning + file.read()
    return False
