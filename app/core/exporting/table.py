"""A complete, buffered table, the input of the format writers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from app.core.exporting.column import Column, Kind
from app.core.exporting.column_buffer import ColumnBuffer, ColumnPage, ColumnStats


@dataclass(frozen=True)
class TypedColumn:
    """A column with the kind and statistics of its values."""

    spec: Column
    kind: Kind
    stats: ColumnStats

    @property
    def name(self) -> str:
        return self.spec.name


class Table:
    """`on_page` is called with the rows of each page after it was written; it may raise to stop."""

    def __init__(
        self, columns: Sequence[Column], buffer: ColumnBuffer, on_page: Callable[[int], None]
    ) -> None:
        self._buffer = buffer
        self._on_page = on_page
        stats = buffer.stats or [ColumnStats(kinds=set()) for _ in columns]
        self.columns = [
            TypedColumn(column, each.kind(column.kind), each)
            for column, each in zip(columns, stats, strict=True)
        ]

    @property
    def rows(self) -> int:
        return self._buffer.rows

    def pages(self) -> Iterator[list[ColumnPage]]:
        for page in self._buffer.pages():
            yield page
            self._on_page(page[0].rows)

    def column(self, number: int) -> Iterator[ColumnPage]:
        return self._buffer.column(number)
