"""Bulk insertion of candidates."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Index, func, insert, select

from agent.spectra.spectrum import BoolArray
from app.core.database.tables import candidates
from app.core.importing.entries import FIELDS, Entries

Hashes = NDArray[np.int64]

LOW_BITS = 2**24 - 1


class DuplicateFilter:
    """Recognizes entries that were seen before, by 64-bit hashes.

    The chance of a collision among a million entries is about one in thirty million.
    """

    def __init__(self) -> None:
        self._runs: list[Hashes] = []
        """Sorted arrays of hashes, each at least twice as long as the next."""
        self._low_bits = np.zeros(LOW_BITS + 1, dtype=np.bool_)
        """Indexed by the low bits of a hash; False means new, so that no search is needed."""

    def find_new(self, keys: Iterable[Hashable], count: int) -> BoolArray:
        """Which keys are new; all of them are remembered."""
        hashes = np.fromiter(map(hash, keys), np.int64, count)
        is_new = np.ones(count, dtype=np.bool_)
        possible = np.flatnonzero(self._low_bits[hashes & LOW_BITS])
        if possible.size:
            is_new[possible] = ~self._is_known(hashes[possible])
        run = np.sort(hashes)
        if (run[1:] == run[:-1]).any():
            first = np.zeros(count, dtype=np.bool_)
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


ROWS_AT_ONCE = 20
"""Rows in one INSERT statement of SQLite, which is faster than single rows."""
BULK_ROWS = 20_000
"""From this many new rows on, rebuilding the indexes is faster than updating them."""
SORT_THREADS = 3
"""Helper threads of SQLite for sorting."""
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

    @property
    def count(self) -> int:
        return self._next - self._first

    def add(self, entries: Entries) -> None:
        numbers = range(self._next, self._next + len(entries))
        self._next += len(entries)
        if not numbers:
            return
        if self._is_file:
            self._add_to_sqlite(zip(numbers, *entries.columns, strict=True))
            if self.count > max(BULK_ROWS, self._first) and not self._dropped:
                self._drop_indexes()
        else:
            self._add(zip(numbers, *entries.columns, strict=True))

    def finish(self) -> None:
        """Rebuild dropped indexes and advance the id sequence of PostgreSQL."""
        if self._dropped:
            self._connection.exec_driver_sql(f"PRAGMA threads = {SORT_THREADS}")
        for index in self._dropped:
            index.create(self._connection)
        if self._dropped:
            self._connection.exec_driver_sql("PRAGMA threads = 0")
        self._dropped = []
        if not self._is_file and self.count:
            sequence = func.pg_get_serial_sequence("candidates", "id")
            self._connection.execute(select(func.setval(sequence, self._next - 1)))

    def _add(self, rows: Iterable[tuple[Any, ...]]) -> None:
        names = ("id", *FIELDS)
        values = [{"list_id": self._list_id, **dict(zip(names, row, strict=True))} for row in rows]
        self._connection.execute(insert(candidates), values)

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

    def _drop_indexes(self) -> None:
        # The other indexes are on columns that are still empty, so they cost nothing.
        filled = [each for each in candidates.indexes if {*each.columns.keys()} <= {*FIELDS}]
        self._dropped = sorted(filled, key=lambda index: str(index.name))
        for index in self._dropped:
            index.drop(self._connection)


def _statement(list_id: int, rows: int) -> str:
    """The INSERT statement; columns without a value get the default of the table."""
    given = ("id", *FIELDS)
    constants = {"list_id": f"{list_id:d}", **_defaults(set(given))}
    names = ", ".join((*given, *constants))
    one = f"({', '.join('?' * len(given))}, {', '.join(constants.values())})"
    return f"INSERT INTO candidates ({names}) VALUES {', '.join([one] * rows)}"


def _defaults(given: set[str]) -> dict[str, str]:
    found = {}
    for column in candidates.columns:
        default = column.default
        if column.name in given or default is None or not default.is_scalar:
            continue
        value = default.arg  # type: ignore[attr-defined]
        found[column.name] = "''" if value == "" else f"{int(value):d}"
    return found
