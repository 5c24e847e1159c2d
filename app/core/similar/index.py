"""The features of the spectra of a session, and which of them are most alike.

They are compared with all others, block by block: a hundred thousand take some milliseconds and
about 20 MB. They are kept in a file beside the session; of a session that is read-only or on a
server, they are kept in memory alone.
"""

import os
import struct
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from agent.errors import ReadError
from agent.spectra.fits.source_file import open_regular
from agent.spectra.spectrum import Spectrum
from agent.spectra.urls import is_url
from app.core.database.database import Database
from app.core.database.session_file import side_file
from app.core.database.tables import candidates
from app.core.progress import ShouldStop
from app.core.session.session import Session
from app.core.session.verdict_log import session_id
from app.core.similar.features import SIZE, VERSION, Features, features, features_key
from app.core.similar.learner import examples_vector
from app.core.spectra.packing import packed_spectrum
from app.core.spectra.prefetch import SpectrumKey, read_by_key

MOST = 1_000_000  # Spectra held: 220 MB.
FIRST_ROOM = 1024
BLOCK = 4096  # spectra compared at once, as floats
Numbers = NDArray[np.int64]
Likeness = NDArray[np.float32]

SUFFIX = "-similar"
MAGIC = b"SPECO3SM"
HEADER = struct.Struct("<8sHH52s")
RECORD = np.dtype([("id", "<i8"), ("key", "<u8"), ("vector", "i1", (SIZE,))])
AT_ONCE = 4096  # records read at once

Records = NDArray[np.void]

A_WHILE_S = 0.2
PAGE = 500


class Similar(NamedTuple):
    candidate_id: int
    likeness: float
    """The cosine between the features: 1 for the same lines and bands, about 0 for none shared."""


class SimilarIndex:
    """Any thread may call its methods."""

    def __init__(self, path: Path | None = None, session_id: str = "", *, writes: bool = False):
        self._path, self._session_id = path, session_id
        self._writes = writes and path is not None
        self._lock = threading.Lock()
        self._rows: dict[int, int] = {}
        self._ids = np.zeros(FIRST_ROOM, np.int64)
        self._keys = np.zeros(FIRST_ROOM, np.uint64)
        self._vectors = np.zeros((FIRST_ROOM, SIZE), np.int8)
        self._lengths = np.ones(FIRST_ROOM, np.float32)
        self._unsaved: list[int] = []
        self.generation = 0
        """Raised when a round of reading has ended: orders by likeness may have changed."""
        if path is not None:
            for records in read_records(path, session_id, 2 * MOST):
                self._take(records)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def nbytes(self) -> int:
        return sum(each.nbytes for each in (self._ids, self._keys, self._vectors, self._lengths))

    def knows(self, key: SpectrumKey) -> bool:
        row = self._rows.get(key.candidate_id)
        return row is not None and int(self._keys[row]) == features_key(key)

    def add(self, key: SpectrumKey, vector: Features) -> None:
        """Add or replace a spectrum's features; beyond MOST no more are taken."""
        with self._lock:
            row = self._row_for(key.candidate_id)
            if row is None:
                return
            length = float(np.linalg.norm(vector.astype(np.float32)))
            self._ids[row], self._keys[row] = key.candidate_id, features_key(key)
            self._vectors[row], self._lengths[row] = vector, max(length, 1.0)
            if self._writes:
                self._unsaved.append(row)

    def save(self) -> None:
        """Write what was added; where that is not possible, it is kept in memory alone."""
        with self._lock:
            rows, self._unsaved = self._unsaved, []
            if not rows or self._path is None:
                return
            records = np.zeros(len(rows), RECORD)
            records["id"], records["key"] = self._ids[rows], self._keys[rows]
            records["vector"] = self._vectors[rows]
            self._writes = append_records(self._path, self._session_id, records)

    def end_round(self) -> None:
        self.save()
        self.generation += 1

    def vector(self, candidate_id: int) -> Features | None:
        with self._lock:
            row = self._rows.get(candidate_id)
            return None if row is None else self._vectors[row].copy()

    def nearest(self, vector: Features, count: int, *, without: int = 0) -> list[Similar]:
        """The most alike, best first; without a candidate, mostly the one they are alike to."""
        ids, likeness = self._compare(vector)
        likeness[ids == without] = -np.inf
        some = min(count, len(ids))
        best = np.argpartition(-likeness, some - 1)[:some] if some else np.empty(0, np.int64)
        best = best[np.lexsort((ids[best], -likeness[best]))]
        best = best[np.isfinite(likeness[best])]
        return [Similar(int(ids[row]), float(likeness[row])) for row in best]

    def order(self, vector: Features) -> Numbers:
        """The ids of all that are known, most alike first."""
        return self._order(*self._compare(vector))

    def order_by_examples(self, examples: Iterable[int], counters: Iterable[int]) -> Numbers:
        """The ids of all that are known, most like the examples and unlike the others first."""
        query = examples_vector(self.units(examples)[1], self.units(counters)[1])
        return self._order(*self.products(query))

    def units(self, candidate_ids: Iterable[int]) -> tuple[Numbers, Likeness]:
        """Which of these candidates are known, and their vectors, each of length 1."""
        with self._lock:
            known = [number for number in candidate_ids if number in self._rows]
            rows = [self._rows[number] for number in known]
            vectors: Likeness = self._vectors[rows].astype(np.float32)
            vectors /= self._lengths[rows][:, None]
        return np.array(known, dtype=np.int64), vectors

    def products(self, weights: Likeness) -> tuple[Numbers, Likeness]:
        """The ids of all that are known, and their vectors of length 1 times these weights."""
        with self._lock:
            count = len(self._rows)
            ids, vectors = self._ids[:count].copy(), self._vectors[:count]
            lengths = self._lengths[:count]
        found = np.empty(count, np.float32)
        for first in range(0, count, BLOCK):
            some = slice(first, first + BLOCK)
            found[some] = vectors[some].astype(np.float32) @ weights
        found /= lengths
        return ids, found

    def _compare(self, vector: Features) -> tuple[Numbers, Likeness]:
        query = vector.astype(np.float32)
        return self.products(query / max(float(np.linalg.norm(query)), 1.0))

    def _order(self, ids: Numbers, likeness: Likeness) -> Numbers:
        as_listed = np.argsort(ids, kind="stable")
        return ids[as_listed[np.argsort(-likeness[as_listed], kind="stable")]]

    def _take(self, records: NDArray[np.void]) -> None:
        """Take what a file holds; later records of a candidate replace earlier ones."""
        records = records[records["id"] > 0]  # a power cut leaves zeros
        found = [self._row_for(number) for number in records["id"].tolist()]
        has_room = np.array([row is not None for row in found], dtype=bool)
        rows, records = [row for row in found if row is not None], records[has_room]
        # Of equal rows numpy keeps the last.
        self._ids[rows], self._keys[rows] = records["id"], records["key"]
        self._vectors[rows] = records["vector"]
        lengths = np.linalg.norm(records["vector"].astype(np.float32), axis=1)
        self._lengths[rows] = np.maximum(lengths, 1.0)

    def _row_for(self, number: int) -> int | None:
        """The row of a candidate, which may be new; None if there is no room."""
        row = self._rows.get(number)
        if row is None:
            row = len(self._rows)
            if row >= MOST:
                return None
            if row >= len(self._ids):
                self._make_room()
            self._rows[number] = row
        return row

    def _make_room(self) -> None:
        more = min(len(self._ids), 32 * BLOCK)
        self._ids = np.concatenate([self._ids, np.zeros(more, np.int64)])
        self._keys = np.concatenate([self._keys, np.zeros(more, np.uint64)])
        self._vectors = np.concatenate([self._vectors, np.zeros((more, SIZE), np.int8)])
        self._lengths = np.concatenate([self._lengths, np.ones(more, np.float32)])


_lock = threading.Lock()
_indexes: WeakKeyDictionary[Database, SimilarIndex] = WeakKeyDictionary()


def index_of(database: Database) -> SimilarIndex:
    """The one index of an open session, read from its file on first use."""
    with _lock:
        index = _indexes.get(database)
        if index is None:
            path, number = None, ""
            if isinstance(database.location, Path):
                path = side_file(Path(os.path.realpath(database.location)), SUFFIX)
                with database.reading() as connection:
                    number = session_id(connection)
            index = SimilarIndex(path, number, writes=not database.is_read_only)
            _indexes[database] = index
        return index


# The features of a session's spectra in a file beside it, `night.speco3-similar`. It holds
# nothing that cannot be read again from the spectra: if it is missing, damaged or of another
# session, it is made anew. Records are only appended, so that a program that was killed loses at
# most the last one.
def header(session_id: str) -> bytes:
    return HEADER.pack(MAGIC, VERSION, SIZE, session_id.encode(errors="replace")[:52])


def read_records(path: Path, session_id: str, most: int) -> Iterator[Records]:
    """The first `most` records, some at a time; none of a file that is not this session's."""
    try:
        stream, _ = open_regular(path)
    except (OSError, ValueError, ReadError):
        return
    with stream:
        if stream.read(HEADER.size) != header(session_id):
            return
        while most > 0:
            content = stream.read(min(AT_ONCE, most) * RECORD.itemsize)
            whole = len(content) // RECORD.itemsize
            if not whole:
                return
            most -= whole
            yield np.frombuffer(content, RECORD, whole)


def append_records(path: Path, session_id: str, records: Records) -> bool:
    """Whether the records could be written; a file that we did not make is left alone."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        if path.exists() and not path.is_file():
            return False
        with os.fdopen(os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666), "r+b") as file:
            found, first = file.read(HEADER.size), header(session_id)
            if found != first:
                if found and not found.startswith(MAGIC):
                    return False
                file.seek(0)
                file.truncate()
                file.write(first)
            size = file.seek(0, os.SEEK_END) - HEADER.size
            file.seek(HEADER.size + size // RECORD.itemsize * RECORD.itemsize)
            file.truncate()
            file.write(records.tobytes())
    except OSError:
        return False
    return True


# Reads the spectra of a session that the index does not know yet, a short while at a time.
def build_some(
    session: Session,
    index: SimilarIndex,
    after: int = 0,
    *,
    seconds: float = A_WHILE_S,
    should_stop: ShouldStop | None = None,
) -> int | None:
    """Read for a while, from the candidate after this id; return where to go on, None at the end.

    Spectra that cannot be read are passed over and tried again in the next round. Those at an
    address are not asked for: they become known when somebody looks at them.
    """
    ends = time.monotonic() + seconds
    columns = (candidates.c.id, candidates.c.path, candidates.c.row)
    while True:
        query = select(*columns).where(candidates.c.id > after).order_by(candidates.c.id)
        rows = session.database.rows(query.limit(PAGE))
        for number, path, row in rows:
            key = SpectrumKey(number, path, row)
            if not index.knows(key):
                if time.monotonic() > ends or (should_stop is not None and should_stop()):
                    index.save()
                    return after
                _read(session, index, key)
            after = number
        if len(rows) < PAGE:
            index.end_round()
            return None


def note_spectrum(index: SimilarIndex, key: SpectrumKey, spectrum: Spectrum) -> None:
    """Take the features of a spectrum that was read for another purpose."""
    if not index.knows(key):
        vector = features(spectrum)
        if vector is not None:
            index.add(key, vector)


def _read(session: Session, index: SimilarIndex, key: SpectrumKey) -> None:
    try:
        spectrum = packed_spectrum(session, key.candidate_id)
        if spectrum is None:
            if is_url(key.path):
                return
            spectrum = read_by_key(key)
    except ReadError:
        return
    note_spectrum(index, key, spectrum)
