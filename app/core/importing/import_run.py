"""One import: blocks of a list into the tables, within one transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection, insert, select, update

from app.core.database.tables import candidates, lists, refused_rows
from app.core.importing.errors import ImportFailed, ImportStopped
from app.core.importing.folder_walk import Progress, ShouldStop
from app.core.importing.formats.contents import MAX_ROWS, ListColumn, Refused
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.opening import OpenedList
from app.core.importing.reading import ReadingSummary, Source
from app.core.importing.reports import MAX_REFUSED_SHOWN, ImportReport
from app.core.importing.storing import DuplicateFilter, Store
from app.core.session.verdict_log import now

MAX_REFUSED_KEPT = 10_000
PAGE = 5000


@dataclass
class RowCounts:
    """What became of the rows so far."""

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
    """Of the list at `path`, which `found` describes and `source` reads."""

    def __init__(
        self,
        path: Path,
        found: OpenedList,
        source: Source,
        progress: Progress,
        should_stop: ShouldStop,
    ) -> None:
        self._path = path
        self._found = found
        self._source = source
        self._progress = progress
        self._should_stop = should_stop

    def store(self, connection: Connection, sha256: str) -> ImportReport:
        """In the caller's transaction."""
        list_id = self._announce(connection, sha256)
        tally = self._add_all(connection, list_id)
        if not tally.used and not tally.duplicates:
            raise ImportFailed(_why_none(tally))
        outcome = self._source.outcome()
        _conclude(connection, list_id, tally, outcome)
        return ImportReport(
            list_id=list_id,
            name=self._path.name,
            format=self._found.file.format,
            sha256=sha256,
            roles=self._found.roles.columns,
            columns=outcome.columns,
            rows_read=tally.read,
            rows_used=tally.used,
            duplicates=tally.duplicates,
            rows_refused=tally.refused_count,
            refused=tuple(tally.refused[:MAX_REFUSED_SHOWN]),
            missing_files=outcome.missing_files,
            without_file=outcome.without_file,
            warnings=(*self._found.notes, *outcome.warnings),
        )

    def _announce(self, connection: Connection, sha256: str) -> int:
        row = insert(lists).values(
            name=self._path.name,
            path=str(self._path),
            sha256=sha256,
            format=self._found.file.format,
            rows_read=0,
            rows_used=0,
            roles=json.dumps(self._found.roles.columns, ensure_ascii=False),
            columns="[]",
            imported_at=now(),
        )
        return int(connection.execute(row.returning(lists.c.id)).scalar_one())

    def _add_all(self, connection: Connection, list_id: int) -> RowCounts:
        """Again from the start, once, where a column turns out to be of another kind."""
        for _ in range(2):
            attempt = connection.begin_nested()
            try:
                tally = self._add_blocks(connection, list_id)
            except CellMismatch:
                attempt.rollback()
                self._source.settle()
            else:
                attempt.commit()
                return tally
        raise ImportFailed("it was changed while it was read: try again")

    def _add_blocks(self, connection: Connection, list_id: int) -> RowCounts:
        store, seen, tally = Store(connection, list_id), _seen(connection), RowCounts()
        total = self._found.file.estimate
        for entries in self._source.entries():
            if self._should_stop():
                raise ImportStopped("the import was stopped; nothing was taken over")
            count = len(entries)
            is_fresh = seen.fresh(entries.keys(), count)
            fresh = int(is_fresh.sum())
            if fresh < count:
                entries.keep(is_fresh.tolist())
            store.add(entries)
            tally.add(fresh, count - fresh, entries.refused)
            if tally.read > MAX_ROWS:
                raise ImportFailed(f"it has more than {MAX_ROWS:,} rows: give it in parts")
            self._progress(tally.read, None if total is None else max(total, tally.read))
        store.finish()
        return tally


def _conclude(
    connection: Connection, list_id: int, tally: RowCounts, outcome: ReadingSummary
) -> None:
    told_of = [{"name": c.name, "type": c.kind, **_words(c)} for c in outcome.columns]
    columns = json.dumps(told_of, ensure_ascii=False)
    told = {"rows_read": tally.read, "rows_used": tally.used, "columns": columns}
    connection.execute(update(lists).where(lists.c.id == list_id).values(told))
    refused = [
        {"list_id": list_id, "line": row.line, "reason": row.reason} for row in tally.refused
    ]
    if refused:
        connection.execute(insert(refused_rows), refused)


def _words(column: ListColumn) -> dict[str, str]:
    return {"unit": column.unit, "description": column.description, "ucd": column.ucd}


def _why_none(tally: RowCounts) -> str:
    if not tally.refused:
        return "it holds no rows"
    first = tally.refused[0]
    what = f"none of its {tally.read:,} rows can be used"
    return f"{what}; row {first.line}: {first.reason}"


def _seen(connection: Connection) -> DuplicateFilter:
    """All that the session has already."""
    seen = DuplicateFilter()
    keys = select(candidates.c.object_id, candidates.c.path, candidates.c.row)
    for rows in connection.execute(keys.execution_options(yield_per=PAGE)).partitions():
        seen.fresh(map(tuple, rows), len(rows))
    return seen
