"""Putting candidates into the table, many at a time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Index, func, insert, select

from app.core.database.tables import candidates
from app.core.importing.entries import FIELDS, Entries

Marks = NDArray[np.int64]
Flags = NDArray[np.bool_]

LOW_BITS = 2**24 - 1


class DuplicateFilter:
    """Goes by 64-bit hashes: two of a million different entries are taken for the same once in
    thirty million lists."""

    def __init__(self) -> None:
        self._runs: list[Marks] = []
        """Sorted, each much longer than the next."""
        self._low_bits = np.zeros(LOW_BITS + 1, dtype=np.bool_)
        """Of all marks: what is not there is new, without a search."""

    def fresh(self, keys: Iterable[Hashable], count: int) -> Flags:
        """Which of the keys are new; all of them are remembered."""
        marks = np.fromiter(map(hash, keys), np.int64, count)
        is_fresh = np.ones(count, dtype=np.bool_)
        doubtful = np.flatnonzero(self._low_bits[marks & LOW_BITS])
        if doubtful.size:
            is_fresh[doubtful] = ~self._is_known(marks[doubtful])
        run = np.sort(marks)
        if (run[1:] == run[:-1]).any():
            first = np.zeros(count, dtype=np.bool_)
            first[np.unique(marks, return_index=True)[1]] = True
            is_fresh &= first
        self._low_bits[marks & LOW_BITS] = True
        self._remember(run if is_fresh.all() else np.sort(marks[is_fresh]))
        return is_fresh

    def _is_known(self, marks: Marks) -> Flags:
        known = np.zeros(marks.size, dtype=np.bool_)
        for run in self._runs:
            at = np.searchsorted(run, marks)
            known |= run[np.minimum(at, run.size - 1)] == marks
        return known

    def _remember(self, run: Marks) -> None:
        if not run.size:
            return
        # Runs of like length are joined, so that there are never more than some twenty. A stable
        # sort takes two sorted halves as they are.
        while self._runs and self._runs[-1].size <= 2 * run.size:
            run = np.sort(np.concatenate((self._runs.pop(), run)), kind="stable")
        self._runs.append(run)


ROWS_AT_ONCE = 20
"""In one statement of SQLite: fewer steps for the same rows."""
BULK = 20_000
"""From so many new rows on, indexes are quicker made afterwards than kept."""
SORTERS = 3
"""Threads that help SQLite to sort, where there are cores."""
TEAM_LOCK = 0x494D504F
"""PostgreSQL's advisory lock: two people may import at once, and numbers must not meet."""


class Store:
    """Adds candidates of one list, numbered on from those that are there."""

    def __init__(self, connection: Connection, list_id: int) -> None:
        self._connection = connection
        self._list_id = list_id
        self._is_file = connection.dialect.name == "sqlite"
        if not self._is_file:
            connection.execute(select(func.pg_advisory_xact_lock(TEAM_LOCK)))
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
            self._add_quickly(zip(numbers, *entries.columns, strict=True))
            if self.count > max(BULK, self._first) and not self._dropped:
                self._drop_indexes()
        else:
            self._add(zip(numbers, *entries.columns, strict=True))

    def finish(self) -> None:
        """Make the indexes again, and let others go on numbering where this list ends."""
        if self._dropped:
            self._connection.exec_driver_sql(f"PRAGMA threads = {SORTERS}")
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

    def _add_quickly(self, rows: Iterable[tuple[Any, ...]]) -> None:
        width = ROWS_AT_ONCE * (1 + len(FIELDS))
        values = list(chain.from_iterable(rows))
        whole = len(values) - len(values) % width
        if whole:
            several = [tuple(values[at : at + width]) for at in range(0, whole, width)]
            self._connection.exec_driver_sql(self._statement(ROWS_AT_ONCE), several)
        if rest := values[whole:]:
            rows_left = len(rest) // (1 + len(FIELDS))
            self._connection.exec_driver_sql(self._statement(rows_left), tuple(rest))

    def _statement(self, rows: int) -> str:
        return _statement(self._list_id, rows)

    def _drop_indexes(self) -> None:
        # The others hold what only comes later, and cost nothing as long as they are empty.
        filled = [each for each in candidates.indexes if {*each.columns.keys()} <= {*FIELDS}]
        self._dropped = sorted(filled, key=lambda index: str(index.name))
        for index in self._dropped:
            index.drop(self._connection)


def _statement(list_id: int, rows: int) -> str:
    """Columns that have no value of their own get the table's default."""
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
