"""Candidates of one session found in another: the same object in the same file.

A file is the same by its name and row, whatever folder it lies in on another computer, or by its
hash. Each candidate is matched once, so those a list names twice stay two.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, insert, literal_column, select

from app.core.database.tables import HASHED, candidates, lists, packed_spectra
from app.core.errors import SessionError
from app.core.provenance import file_name
from app.core.session.session import MAX_IDS, candidate_of
from app.core.session.stored_opinions import damaged, have_type

AT_ONCE = 20
"""Packed spectra in memory."""
COPIED = (
    *("line", "object_id", "path", "row", "ra", "dec", "score", "label", "snr", "own"),
    "file_sha256",
)

Key = tuple[str, str, int]


class NumberMap:
    """From numbers there, which come in rising, to numbers here: 16 bytes for each."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._there = array("q")
        self._here = array("q")

    def add(self, there: int, here: int) -> None:
        self._there.append(there)
        self._here.append(here)

    def get(self, there: int) -> int | None:
        if not have_type(int, there):
            return None
        at = bisect_left(self._there, there)
        return self._here[at] if at < len(self._there) and self._there[at] == there else None

    def __getitem__(self, there: int) -> int:
        found = self.get(there)
        if found is None:
            raise SessionError(f"the other session is damaged: it has no {self._what} {there}")
        return found


class CandidateMatcher:
    """Fill it page by page; `numbers` says who is who."""

    def __init__(self, target: Connection, source: Connection) -> None:
        self.numbers = NumberMap("candidate")
        self.matched = self.added = self.added_lists = 0
        self._target = target
        self._source = source
        self._highest = target.execute(select(func.max(candidates.c.id))).scalar() or 0
        self._is_taken = bytearray(self._highest + 1)
        self._lists: dict[int, int] = {}

    def pages(self) -> Iterator[int]:
        """Match, or take over, all; after each page how many it had."""
        query, after = select(candidates).order_by(candidates.c.id).limit(MAX_IDS), 0
        while rows := self._source.execute(query.where(candidates.c.id > after)).all():
            self._match(rows)
            after = rows[-1].id
            yield len(rows)

    def _match(self, rows: Sequence[Row[Any]]) -> None:
        for row in rows:
            candidate_of(row)  # or a SessionError where it is no sound one
            if not have_type(str, row.file_sha256):
                raise damaged(f"candidate {row.id}")
        known = _Known(self._target, rows, self._highest)
        here: dict[int, int] = {}
        new: list[Row[Any]] = []
        for row in rows:
            found = next((n for n in known.like(row) if not self._is_taken[n]), None)
            if found is None:
                new.append(row)
            else:
                self._is_taken[found] = True
                here[row.id] = found
        self.matched += len(here)
        here |= self._take_over(new)
        for row in rows:
            self.numbers.add(row.id, here[row.id])

    def _take_over(self, rows: list[Row[Any]]) -> dict[int, int]:
        if not rows:
            return {}
        values = [
            {name: getattr(row, name) for name in COPIED}
            | {"list_id": self._list(row.list_id), "fault": ""}
            for row in rows
        ]
        made = insert(candidates).returning(candidates.c.id, sort_by_parameter_order=True)
        numbers = self._target.execute(made, values).scalars().all()
        self.added += len(rows)
        here = {row.id: number for row, number in zip(rows, numbers, strict=True)}
        self._take_spectra(here)
        return here

    def _take_spectra(self, here: dict[int, int]) -> None:
        """What is packed there for candidates that nobody here has a file of."""
        number = packed_spectra.c.candidate_id
        there = list(here)
        for start in range(0, len(there), AT_ONCE):
            query = select(packed_spectra).where(number.in_(there[start : start + AT_ONCE]))
            found = [
                {**row, "candidate_id": here[row["candidate_id"]]}
                for row in self._source.execute(query).mappings()
            ]
            if not all(
                have_type(str, each["sha256"]) and have_type(bytes, each["content"])
                for each in found
            ):
                raise damaged("a packed spectrum")
            if found:
                self._target.execute(insert(packed_spectra), found)

    def _list(self, there: int) -> int:
        """The list here that is the same file read the same way, else a new one."""
        if there not in self._lists:
            row = self._source.execute(select(lists).where(lists.c.id == there)).one_or_none()
            if row is None:
                raise damaged(f"list {there}")
            values = {key: value for key, value in row._mapping.items() if key != "id"}
            numbers = ("rows_read", "rows_used")
            words = [value for key, value in values.items() if key not in numbers]
            if not (have_type(str, *words) and have_type(int, *map(values.get, numbers))):
                raise damaged(f"list {there}")
            like = [lists.c[key] == values[key] for key in ("sha256", "name", "roles", "columns")]
            found = self._target.execute(select(lists.c.id).where(*like)).scalars().first()
            if found is None:
                made = insert(lists).values(values).returning(lists.c.id)
                found = self._target.execute(made).scalar_one()
                self.added_lists += 1
            self._lists[there] = found
        return self._lists[there]


class _Known:
    """The candidates here that may be those of a page there, up to the highest number there was
    before anything was taken over."""

    def __init__(self, target: Connection, rows: Sequence[Row[Any]], highest: int) -> None:
        columns = [candidates.c[name] for name in ("id", "object_id", "path", "row", "file_sha256")]
        query = select(*columns).where(candidates.c.id <= highest).order_by(candidates.c.id)
        self._by_file: dict[Key, list[int]] = defaultdict(list)
        self._by_hash: dict[tuple[str, int], list[int]] = defaultdict(list)
        objects = {row.object_id for row in rows}
        for row in target.execute(query.where(candidates.c.object_id.in_(objects))):
            self._by_file[row.object_id, file_name(row.path), row.row].append(row.id)
        hashes = {row.file_sha256 for row in rows} - {""}
        if hashes:
            # The index is used only where its own words are in the query.
            same = query.where(candidates.c.file_sha256.in_(hashes), literal_column(HASHED))
            for row in target.execute(same):
                self._by_hash[row.file_sha256, row.row].append(row.id)

    def like(self, row: Row[Any]) -> Iterator[int]:
        yield from self._by_file.get((row.object_id, file_name(row.path), row.row), ())
        if row.file_sha256:
            yield from self._by_hash.get((row.file_sha256, row.row), ())
