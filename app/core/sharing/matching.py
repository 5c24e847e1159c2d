"""Matches the candidates of two sessions: the same object in the same file.

A file is the same if name and row are equal, in whatever folder, or if its hash is equal. Each
candidate is matched once, so duplicates in a list remain two candidates.
"""

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, insert, literal_column, select

from app.core.database.paging import pages
from app.core.database.tables import HASHED, candidates, lists, packed_spectra
from app.core.errors import SessionError
from app.core.session.provenance import file_name
from app.core.session.session import MAX_IDS, candidate_of
from app.core.session.stored_opinions import damaged, have_type

AT_ONCE = 20  # packed spectra in memory
COPIED = (
    *("line", "object_id", "path", "row", "ra", "dec", "score", "label", "snr", "own"),
    *("listed_path", "file_sha256"),
)

Key = tuple[str, str, int]


class IdMap:
    """Maps ids of the source to ids of the target, 16 bytes each; source ids are added in order."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._source_ids = array("q")
        self._target_ids = array("q")

    def add(self, source_id: int, target_id: int) -> None:
        self._source_ids.append(source_id)
        self._target_ids.append(target_id)

    def get(self, source_id: int) -> int | None:
        if not have_type(int, source_id):
            return None
        at = bisect_left(self._source_ids, source_id)
        is_there = at < len(self._source_ids) and self._source_ids[at] == source_id
        return self._target_ids[at] if is_there else None

    def __getitem__(self, source_id: int) -> int:
        found = self.get(source_id)
        if found is None:
            raise SessionError(f"the other session is damaged: it has no {self._what} {source_id}")
        return found


class CandidateMatcher:
    """Matches or adds candidates page by page; `numbers` maps their ids to the target."""

    def __init__(self, target: Connection, source: Connection) -> None:
        self.numbers = IdMap("candidate")
        self.matched = self.added = self.added_lists = 0
        self._target = target
        self._source = source
        self.highest = target.execute(select(func.max(candidates.c.id))).scalar() or 0
        self._taken: set[int] = set()
        self._lists: dict[int, int] = {}

    def pages(self) -> Iterator[int]:
        """Match or add all candidates; yields the number in each page."""
        for rows in pages(self._source, select(candidates), candidates.c.id, at_once=MAX_IDS):
            self._match(rows)
            yield len(rows)

    def _match(self, rows: Sequence[Row[Any]]) -> None:
        for row in rows:
            candidate_of(row)  # raises SessionError if invalid
            if not have_type(str, row.file_sha256, row.listed_path):
                raise damaged(f"candidate {row.id}")
        known = _KnownCandidates(self._target, rows, self.highest)
        here: dict[int, int] = {}
        new: list[Row[Any]] = []
        for row in rows:
            found = next((n for n in known.matches(row) if n not in self._taken), None)
            if found is None:
                new.append(row)
            else:
                self._taken.add(found)
                here[row.id] = found
        self.matched += len(here)
        here |= self._add(new)
        for row in rows:
            self.numbers.add(row.id, here[row.id])

    def _add(self, rows: list[Row[Any]]) -> dict[int, int]:
        if not rows:
            return {}
        values = [
            {name: getattr(row, name) for name in COPIED}
            | {"list_id": self._list_id(row.list_id), "fault": ""}
            for row in rows
        ]
        made = insert(candidates).returning(candidates.c.id, sort_by_parameter_order=True)
        numbers = self._target.execute(made, values).scalars().all()
        self.added += len(rows)
        here = {row.id: number for row, number in zip(rows, numbers, strict=True)}
        self._add_spectra(here)
        return here

    def _add_spectra(self, here: dict[int, int]) -> None:
        """Copy the packed spectra of the added candidates."""
        number = packed_spectra.c.candidate_id
        there = list(here)
        for start in range(0, len(there), AT_ONCE):
            query = select(packed_spectra).where(number.in_(there[start : start + AT_ONCE]))
            found = [
                {**row, "candidate_id": here[row["candidate_id"]]}
                for row in self._source.execute(query).mappings()
            ]
            for each in found:
                if not (have_type(str, each["sha256"]) and have_type(bytes, each["content"])):
                    raise damaged("a packed spectrum")
            if found:
                self._target.execute(insert(packed_spectra), found)

    def _list_id(self, there: int) -> int:
        """The target's list that is the same file read in the same way, or a new list."""
        if there not in self._lists:
            row = self._source.execute(select(lists).where(lists.c.id == there)).one_or_none()
            if row is None:
                raise damaged(f"list {there}")
            values = {key: value for key, value in row._mapping.items() if key != "id"}
            numbers = ("rows_read", "rows_used")
            words = [value for key, value in values.items() if key not in numbers]
            if not (have_type(str, *words) and have_type(int, *map(values.get, numbers))):
                raise damaged(f"list {there}")
            keys = ("sha256", "name", "roles", "columns")
            same = select(lists.c.id).where(*(lists.c[key] == values[key] for key in keys))
            found = self._target.execute(same).scalars().first()
            if found is None:
                made = insert(lists).values(values).returning(lists.c.id)
                found = self._target.execute(made).scalar_one()
                self.added_lists += 1
            self._lists[there] = found
        return self._lists[there]


class _KnownCandidates:
    """The target's candidates that may match a page of the source, without those just added."""

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
            # SQLite uses the partial index only if its condition is in the query.
            same = query.where(candidates.c.file_sha256.in_(hashes), literal_column(HASHED))
            for row in target.execute(same):
                self._by_hash[row.file_sha256, row.row].append(row.id)

    def matches(self, row: Row[Any]) -> Iterator[int]:
        yield from self._by_file.get((row.object_id, file_name(row.path), row.row), ())
        if row.file_sha256:
            yield from self._by_hash.get((row.file_sha256, row.row), ())
