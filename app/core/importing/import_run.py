"""Write the entries of a list into the session tables, in one transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection, insert, select, update

from app.core.database.tables import candidates, lists, refused_rows
from app.core.errors import ImportFailed, ImportStopped, NoRowAllowedError
from app.core.importing.child.parent import ListReaderProcess
from app.core.importing.entry_source import SourceSummary
from app.core.importing.formats.contents import MAX_ROWS, ListColumn, Refused
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.outside_paths import OutsidePaths, outside_text
from app.core.importing.reports import MAX_REFUSED_SHOWN, ImportReport, Preview
from app.core.importing.storing import CandidateWriter, DuplicateFilter
from app.core.progress import EstimatedProgress, ShouldStop
from app.core.session.counted_text import counted_text
from app.core.session.verdict_log import now

MAX_REFUSED_KEPT = 10_000
PAGE = 5000


@dataclass
class RowCounts:
    """Counts of imported, duplicate and refused rows so far."""

    used: int = 0
    duplicates: int = 0
    refused_count: int = 0
    refused: list[Refused] = field(default_factory=list)

    @property
    def read(self) -> int:
        return self.used + self.duplicates + self.refused_count

    def add(self, used: int, duplicates: int, refused: Sequence[Refused]) -> None:
        self.used += used
        self.duplicates += duplicates
        self.refused_count += len(refused)
        self.refused += refused[: MAX_REFUSED_KEPT - len(self.refused)]


class ImportRun:
    """One import of the list at `path`, which `reader` reads and which begins as in `opened`."""

    def __init__(
        self,
        path: Path,
        opened: Preview,
        reader: ListReaderProcess,
        progress: EstimatedProgress,
        should_stop: ShouldStop,
    ) -> None:
        self._path = path
        self._opened = opened
        self._reader = reader
        self._progress = progress
        self._should_stop = should_stop

    def store(self, connection: Connection, sha256: str) -> ImportReport:
        """Write everything in the caller's transaction."""
        list_id = self._insert_list(connection, sha256)
        counts = self._add_all(connection, list_id)
        if not counts.used and not counts.duplicates:
            raise _no_rows(counts, self._reader.summary().outside)
        summary = self._reader.summary()
        _finish_list(connection, list_id, counts, summary)
        return ImportReport(
            list_id=list_id,
            name=self._path.name,
            format=self._opened.format,
            sha256=sha256,
            roles=self._opened.roles.columns,
            columns=summary.columns,
            rows_read=counts.read,
            rows_used=counts.used,
            duplicates=counts.duplicates,
            rows_refused=counts.refused_count,
            refused=tuple(counts.refused[:MAX_REFUSED_SHOWN]),
            missing_files=summary.missing_files,
            without_file=summary.without_file,
            warnings=summary.warnings,
            outside=summary.outside,
        )

    def _insert_list(self, connection: Connection, sha256: str) -> int:
        row = insert(lists).values(
            name=self._path.name,
            path=str(self._path),
            sha256=sha256,
            format=self._opened.format,
            rows_read=0,
            rows_used=0,
            roles=json.dumps(self._opened.roles.columns, ensure_ascii=False),
            columns="[]",
            imported_at=now(),
        )
        return int(connection.execute(row.returning(lists.c.id)).scalar_one())

    def _add_all(self, connection: Connection, list_id: int) -> RowCounts:
        """Add all entries; restarts once if a cell does not match the type of its column."""
        for _ in range(2):
            attempt = connection.begin_nested()
            try:
                counts = self._add_blocks(connection, list_id)
            except CellMismatch:
                attempt.rollback()
            else:
                attempt.commit()
                return counts
        raise ImportFailed("it was changed during the import: try again")

    def _add_blocks(self, connection: Connection, list_id: int) -> RowCounts:
        writer, counts = CandidateWriter(connection, list_id), RowCounts()
        known = _existing_candidates(connection)
        total = self._opened.estimate
        for entries in self._reader.entries():
            if self._should_stop():
                raise ImportStopped("the import was stopped; nothing was imported")
            count = len(entries)
            is_new = known.find_new(entries.keys(), count)
            new_count = int(is_new.sum())
            if new_count < count:
                entries.keep(is_new.tolist())
            writer.add(entries)
            counts.add(new_count, count - new_count, entries.refused)
            if counts.read > MAX_ROWS:
                raise ImportFailed(
                    f"it has more than {MAX_ROWS:,} rows: split it into several lists"
                )
            self._progress(counts.read, None if total is None else max(total, counts.read))
        writer.finish()
        return counts


def _finish_list(
    connection: Connection, list_id: int, counts: RowCounts, summary: SourceSummary
) -> None:
    described = [{"name": c.name, "type": c.kind, **_column_metadata(c)} for c in summary.columns]
    columns = json.dumps(described, ensure_ascii=False)
    values = {"rows_read": counts.read, "rows_used": counts.used, "columns": columns}
    connection.execute(update(lists).where(lists.c.id == list_id).values(values))
    refused = [
        {"list_id": list_id, "line": row.line, "reason": row.reason} for row in counts.refused
    ]
    if refused:
        connection.execute(insert(refused_rows), refused)


def _column_metadata(column: ListColumn) -> dict[str, str]:
    return {"unit": column.unit, "description": column.description, "ucd": column.ucd}


def _no_rows(counts: RowCounts, outside: OutsidePaths) -> ImportFailed:
    if not counts.refused:
        return ImportFailed("it contains no rows")
    none = f"none of its {counted_text(counts.read, 'row')} can be used"
    if outside.rows:
        return NoRowAllowedError(f"{none}: {outside_text(outside)}")
    first = counts.refused[0]
    return ImportFailed(f"{none}; row {first.line}: {first.reason}")


def _existing_candidates(connection: Connection) -> DuplicateFilter:
    """A filter that knows all candidates of the session."""
    duplicates = DuplicateFilter()
    keys = select(candidates.c.object_id, candidates.c.path, candidates.c.row)
    for rows in connection.execute(keys.execution_options(yield_per=PAGE)).partitions():
        duplicates.find_new(map(tuple, rows), len(rows))
    return duplicates
