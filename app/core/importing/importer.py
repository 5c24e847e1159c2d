"""Import a list into a session, in one transaction."""

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Index, func, insert, select, update

from agent.checked_toml import is_unicode
from agent.spectra.spectrum import BoolArray, FloatArray
from app.core.database.tables import candidates, lists, refused_rows
from app.core.errors import ImportFailed, ImportStopped, NoRowAllowedError, counted_text
from app.core.importing import opening
from app.core.importing.child.parent import ListReaderProcess
from app.core.importing.entries import FIELDS, Entries
from app.core.importing.formats.contents import MAX_ROWS, Refused
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.opening import ImportReport, Preview
from app.core.importing.outside_paths import OutsidePaths, outside_text
from app.core.importing.sky import chord, unit_vectors
from app.core.progress import EstimatedProgress, ShouldStop, never, silent
from app.core.queue import drop_order_indexes
from app.core.session.known_answers import not_known
from app.core.session.records import Change
from app.core.session.session import Session
from app.core.session.spectra_folders import allow_folders, allow_list_folders, outside_folders
from app.core.session.verdict_log import now

ORDER = "order"  # key of the session fact that holds the initial order of the queue

MAX_REFUSED_KEPT = 10_000
PLACES = tuple(map(FIELDS.index, ("path", "row", "ra", "dec")))
PAGE = 5000
Hashes = NDArray[np.int64]
LOW_BITS = 2**24 - 1


def look_at(
    path: Path | str,
    roles: Mapping[str, str] | None = None,
    *,
    should_stop: ShouldStop = never,
    progress: EstimatedProgress = silent,
) -> Preview:
    """The first rows of a list and the roles of its columns, or its `problem`.

    `progress` counts the spectra found in a folder. Raises ImportStopped if `should_stop`, which
    is called in another thread too, returns true.
    """
    path = opening.normalized_path(path)
    try:
        with opening.errors_naming(path):
            opening.file_identity(path)
            with ListReaderProcess(
                path, roles or {}, is_preview=True, should_stop=should_stop, progress=progress
            ) as reader:
                found = reader.opened()
    except ImportFailed as error:
        return Preview(problem=str(error))
    return replace(found, problem=opening.named(path, found.problem)) if found.problem else found


def preview(path: Path | str, *, roles: Mapping[str, str] | None = None) -> Preview:
    """The first rows of a list and the roles of its columns. Raises ImportFailed."""
    found = look_at(path, roles)
    if found.problem:
        raise ImportFailed(found.problem)
    return found


def import_list(
    session: Session,
    path: Path | str,
    *,
    roles: Mapping[str, str] | None = None,
    spectra: Path | str | None = None,
    allow_absolute: bool = False,
    allowed: Iterable[str] = (),
    progress: EstimatedProgress = silent,
    should_stop: ShouldStop = never,
) -> ImportReport:
    """Import the rows of a list as candidates.

    `roles` maps roles to column names where the guess is wrong, '' for no column. Spectrum files
    must be in the folder of the list or in `spectra`; others are refused, unless the list gives
    absolute paths and these are in one of the `allowed` folders or `allow_absolute` is set. The
    answer is remembered for the session and for the list. Raises ImportFailed, or ImportStopped if
    `should_stop`, which is called in another thread too, returns true; the session is then
    unchanged.
    """
    path, allowed = opening.normalized_path(path), tuple(allowed)
    with opening.errors_naming(path):
        identity = opening.file_identity(path)
        folder = None if spectra is None else _folder(spectra)
        with ListReaderProcess(
            path,
            roles or {},
            spectra=folder,
            allow_absolute=allow_absolute,
            allowed=allowed,
            should_stop=should_stop,
            progress=progress,
        ) as reader:
            opened = reader.opened()
            sha256 = opened.sha256 or opening.file_sha256(path)
            reader.warm_up()
            rows = opened.estimate
            if session.database.is_file and (rows is None or rows > BULK_ROWS):
                drop_order_indexes(session)
            run = ImportRun(path, opened, reader, progress, should_stop)
            with session.database.writing() as connection:
                report = run.store(connection, sha256)
                if not path.is_dir() and opening.file_identity(path) != identity:
                    raise ImportFailed("it was changed during the import: try again")
    its_folder = path if path.is_dir() else path.parent
    allow_folders(session.id, [its_folder, folder or its_folder])
    if allow_absolute:
        allow_folders(session.id, outside_folders(session))
    elif allowed:
        allow_folders(session.id, allowed)
        allow_list_folders(path, allowed)
    if "score" in report.roles and session.fact(ORDER) is None:
        session.set_fact(ORDER, "score")
    session.changed.emit(Change(aspect="list"))
    return report


def _folder(path: Path | str) -> Path:
    folder = opening.normalized_path(path)
    if not is_unicode(str(folder)):
        raise ImportFailed("rename the folder of the spectra: its name is not valid Unicode")
    if not folder.is_dir():
        raise ImportFailed(f"{folder}, given for the spectra, is not a folder")
    return folder


SAME_PLACE_ARCSEC = 1.0  # fibres and catalogues of one object agree to less
GRID = 1e9  # steps of a unit vector that count as the same point: 0.0002 arcsec
# Without a pattern: sums of different numbers differ.
HASH_FACTORS = np.array([0x9E3779B9, 0x85EBCA6B])


class SharedPlaces:
    """Counts candidates that share a file, and those that share a place in the sky.

    Those that are hidden as known answers are left out.
    """

    def __init__(self) -> None:
        self._files: list[Hashes] = []
        self._places: list[FloatArray] = []

    def add(
        self, paths: Sequence[str], rows: Sequence[int], *place: Sequence[float | None]
    ) -> None:
        files = zip(paths, rows, strict=True)
        self._files.append(np.fromiter((hash(each) for each in files if each[0]), np.int64))
        places = np.array(place, dtype=np.float64)  # None becomes NaN
        self._places.append(places[:, np.isfinite(places).all(axis=0)])

    def notes(self) -> tuple[str, ...]:
        if not self._files:
            return ()
        _, counts = np.unique(np.concatenate(self._files), return_counts=True)
        files = int(np.sum(counts > 1))
        near = _near_another(np.concatenate(self._places, axis=1))
        notes = []
        if files:
            notes.append(f"{counted_text(files, 'file')} given by more than one row")
        if near:
            notes.append(f"{counted_text(near, 'row')} within 1 arcsec of another row")
        return tuple(notes)


def _near_another(places: FloatArray) -> int:
    """How many of these places, given as RA and Dec in degrees, lie near another one."""
    if places.shape[1] < 2:
        return 0
    from scipy.spatial import cKDTree  # takes a moment to import

    points = np.rint(unit_vectors(*places) * GRID)
    # Equal points are counted first: a tree of many equal ones would be searched for ever. One
    # number for all three of a point is sorted faster, and as it begins with the first, points near
    # one another stay so in memory: a tree of them is searched in half the time.
    x, *rest = points.astype(np.int64).T
    key = (x << 32) + (np.transpose(rest) @ HASH_FACTORS & 0xFFFFFFFF)
    _, at, counts = np.unique(key, return_index=True, return_counts=True)
    points = points[at]
    tree = cKDTree(points, compact_nodes=False)
    reach = GRID * chord(SAME_PLACE_ARCSEC)
    distance, _ = tree.query(points[counts == 1], k=2, distance_upper_bound=reach)
    return int(counts[counts > 1].sum() + np.isfinite(distance.reshape(-1, 2)[:, 1]).sum())


@dataclass
class RowCounts:
    used: int = 0
    duplicates: int = 0
    refused_count: int = 0
    refused: list[Refused] = field(default_factory=list)
    shared: SharedPlaces = field(default_factory=SharedPlaces)

    @property
    def read(self) -> int:
        return self.used + self.duplicates + self.refused_count

    def add(self, used: int, duplicates: int, refused: Sequence[Refused]) -> None:
        self.used += used
        self.duplicates += duplicates
        self.refused_count += len(refused)
        self.refused += refused[: MAX_REFUSED_KEPT - len(self.refused)]


@dataclass(frozen=True)
class ImportRun:
    """One import of the list at `path`, which `reader` reads and which begins as in `opened`."""

    path: Path
    opened: Preview
    reader: ListReaderProcess
    progress: EstimatedProgress
    should_stop: ShouldStop

    def store(self, connection: Connection, sha256: str) -> ImportReport:
        """Write everything in the caller's transaction."""
        list_id = self._insert_list(connection, sha256)
        counts = self._add_all(connection, list_id)
        summary = self.reader.summary()
        if not counts.used and not counts.duplicates:
            raise _no_rows(counts, summary.outside)
        described = [
            {"name": c.name, "type": c.kind, "unit": c.unit}
            | {"description": c.description, "ucd": c.ucd}
            for c in summary.columns
        ]
        columns = json.dumps(described, ensure_ascii=False)
        values = {"rows_read": counts.read, "rows_used": counts.used, "columns": columns}
        connection.execute(update(lists).where(lists.c.id == list_id).values(values))
        if refused := [{"list_id": list_id, **asdict(row)} for row in counts.refused]:
            connection.execute(insert(refused_rows), refused)
        return ImportReport(
            name=self.path.name,
            format=self.opened.format,
            roles=self.opened.roles.columns,
            rows_read=counts.read,
            rows_used=counts.used,
            duplicates=counts.duplicates,
            rows_refused=counts.refused_count,
            refused=tuple(counts.refused[: opening.MAX_REFUSED_SHOWN]),
            missing_files=summary.missing_files,
            without_file=summary.without_file,
            warnings=(*summary.warnings, *counts.shared.notes()),
            outside=summary.outside,
        )

    def _insert_list(self, connection: Connection, sha256: str) -> int:
        row = insert(lists).values(
            name=self.path.name,
            path=str(self.path),
            sha256=sha256,
            format=self.opened.format,
            rows_read=0,
            rows_used=0,
            roles=json.dumps(self.opened.roles.columns, ensure_ascii=False),
            columns="[]",
            imported_at=now(),
        )
        return int(connection.execute(row.returning(lists.c.id)).scalar_one())

    def _add_all(self, connection: Connection, list_id: int) -> RowCounts:
        """Add all entries; restarts once if a cell does not match the type of its column."""
        for _ in range(2):
            with suppress(CellMismatch), connection.begin_nested():
                return self._add_blocks(connection, list_id)
        raise ImportFailed("it was changed during the import: try again")

    def _add_blocks(self, connection: Connection, list_id: int) -> RowCounts:
        writer, counts = CandidateWriter(connection, list_id), RowCounts()
        known = DuplicateFilter()
        key = candidates.c.object_id, candidates.c.path, candidates.c.row
        query = select(*key, candidates.c.ra, candidates.c.dec, not_known(candidates.c.id))
        for rows in connection.execute(query.execution_options(yield_per=PAGE)).partitions():
            known.find_new(row[:3] for row in rows)
            if shown := [row[1:5] for row in rows if row[5]]:
                counts.shared.add(*zip(*shown, strict=True))
        total = self.opened.estimate
        for entries in self.reader.entries():
            if self.should_stop():
                raise ImportStopped("the import was stopped; nothing was imported")
            count = len(entries)
            is_new = known.find_new(entries.keys())
            new_count = int(is_new.sum())
            if new_count < count:
                entries.keep(is_new.tolist())
            writer.add(entries)
            counts.shared.add(*(entries.columns[number] for number in PLACES))
            counts.add(new_count, count - new_count, entries.refused)
            if counts.read > MAX_ROWS:
                raise ImportFailed(
                    f"it has more than {MAX_ROWS:,} rows: split it into several lists"
                )
            self.progress(counts.read, None if total is None else max(total, counts.read))
        writer.finish()
        return counts


def _no_rows(counts: RowCounts, outside: OutsidePaths) -> ImportFailed:
    if not counts.refused:
        return ImportFailed("it contains no rows")
    none = f"none of its {counted_text(counts.read, 'row')} can be used"
    if outside.rows:
        return NoRowAllowedError(f"{none}: {outside_text(outside)}")
    first = counts.refused[0]
    return ImportFailed(f"{none}; row {first.line}: {first.reason}")


class DuplicateFilter:
    """Recognizes entries that were seen before, by 64-bit hashes.

    The chance of a collision among a million entries is about one in thirty million.
    """

    def __init__(self) -> None:
        self._runs: list[Hashes] = []
        """Sorted arrays of hashes, each at least twice as long as the next."""
        self._low_bits = np.zeros(LOW_BITS + 1, dtype=np.bool_)
        """Indexed by the low bits of a hash; False means new, so that no search is needed."""

    def find_new(self, keys: Iterable[Hashable]) -> BoolArray:
        """Which keys are new; all of them are remembered."""
        hashes = np.fromiter(map(hash, keys), np.int64)
        is_new = np.ones(hashes.size, dtype=np.bool_)
        possible = np.flatnonzero(self._low_bits[hashes & LOW_BITS])
        if possible.size:
            is_new[possible] = ~self._is_known(hashes[possible])
        run = np.sort(hashes)
        if (run[1:] == run[:-1]).any():
            first = np.zeros(hashes.size, dtype=np.bool_)
            first[np.unique(hashes, return_index=True)[1]] = True
            is_new &= first
        self._low_bits[hashes & LOW_BITS] = True
        self._remember(run if is_new.all() else np.sort(hashes[is_new]))
        return is_new

    def _is_known(self, hashes: Hashes) -> BoolArray:
        known = np.zeros(hashes.size, dtype=np.bool_)
        for run in self._runs:
            at = np.searchsorted(run, hashes)
            known |= run[np.minimum(at, run.size - 1)] == hashes
        return known

    def _remember(self, run: Hashes) -> None:
        if not run.size:
            return
        # Runs of similar length are merged, so there are at most about twenty. The stable sort
        # (timsort) merges two sorted halves in linear time.
        while self._runs and self._runs[-1].size <= 2 * run.size:
            run = np.sort(np.concatenate((self._runs.pop(), run)), kind="stable")
        self._runs.append(run)


ROWS_AT_ONCE = 20  # rows in one INSERT statement of SQLite, which is faster than single rows
BULK_ROWS = 20_000
"""From this many new rows on, rebuilding the indexes is faster than updating them."""
SORT_THREADS = 3  # Helper threads of SQLite for sorting
IMPORT_LOCK = 0x494D504F
"""Advisory lock of PostgreSQL: two concurrent imports must not assign the same ids."""


class CandidateWriter:
    """Inserts the candidates of one list, with ids that continue after the existing ones."""

    def __init__(self, connection: Connection, list_id: int) -> None:
        self._connection = connection
        self._list_id = list_id
        self._is_file = connection.dialect.name == "sqlite"
        if not self._is_file:
            connection.execute(select(func.pg_advisory_xact_lock(IMPORT_LOCK)))
        highest = connection.execute(select(func.max(candidates.c.id))).scalar_one()
        self._first = self._next = (highest or 0) + 1
        self._dropped: list[Index] = []

    def add(self, entries: Entries) -> None:
        numbers = range(self._next, self._next + len(entries))
        self._next += len(entries)
        if not numbers:
            return
        rows = zip(numbers, *entries.columns, strict=True)
        if not self._is_file:
            names = ("list_id", "id", *FIELDS)
            values = [dict(zip(names, (self._list_id, *row), strict=True)) for row in rows]
            self._connection.execute(insert(candidates), values)
            return
        self._add_to_sqlite(rows)
        if self._next - self._first > max(BULK_ROWS, self._first) and not self._dropped:
            # The other indexes are on columns that are still empty, so they cost nothing.
            filled = [each for each in candidates.indexes if {*each.columns.keys()} <= {*FIELDS}]
            self._dropped = sorted(filled, key=lambda index: str(index.name))
            for index in self._dropped:
                index.drop(self._connection)

    def finish(self) -> None:
        """Rebuild dropped indexes and advance the id sequence of PostgreSQL."""
        if self._dropped:
            self._connection.exec_driver_sql(f"PRAGMA threads = {SORT_THREADS}")
            for index in self._dropped:
                index.create(self._connection)
            self._connection.exec_driver_sql("PRAGMA threads = 0")
        if not self._is_file and self._next > self._first:
            sequence = func.pg_get_serial_sequence("candidates", "id")
            self._connection.execute(select(func.setval(sequence, self._next - 1)))

    def _add_to_sqlite(self, rows: Iterable[tuple[Any, ...]]) -> None:
        width = ROWS_AT_ONCE * (1 + len(FIELDS))
        values = list(chain.from_iterable(rows))
        whole = len(values) - len(values) % width
        if whole:
            several = [tuple(values[at : at + width]) for at in range(0, whole, width)]
            self._connection.exec_driver_sql(_statement(self._list_id, ROWS_AT_ONCE), several)
        if rest := values[whole:]:
            rows_left = len(rest) // (1 + len(FIELDS))
            self._connection.exec_driver_sql(_statement(self._list_id, rows_left), tuple(rest))


def _statement(list_id: int, rows: int) -> str:
    """The INSERT statement; columns without a value get the default of the table."""
    given = ("id", *FIELDS)
    constants = {"list_id": f"{list_id:d}"}
    for column in candidates.columns:
        default = column.default
        if column.name not in given and default is not None and default.is_scalar:
            value = default.arg  # type: ignore[attr-defined]
            constants[column.name] = "''" if value == "" else f"{int(value):d}"
    names = ", ".join((*given, *constants))
    one = f"({', '.join('?' * len(given))}, {', '.join(constants.values())})"
    return f"INSERT INTO candidates ({names}) VALUES {', '.join([one] * rows)}"
