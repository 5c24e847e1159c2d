"""A table that is wholly in the spool: what the writers of formats are given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from app.core.exporting.column_buffer import ColumnBuffer, ColumnPage, Stats
from app.core.exporting.columns import Column, Kind


@dataclass(frozen=True)
class Shape:
    """A column with all that its values tell."""

    column: Column
    kind: Kind
    stats: Stats

    @property
    def name(self) -> str:
        return self.column.name


class Table:
    """`on_page` is called for each page that is read while writing; it may raise to stop."""

    def __init__(
        self, columns: Sequence[Column], spool: ColumnBuffer, on_page: Callable[[int], None]
    ) -> None:
        self._spool = spool
        self._on_page = on_page
        stats = spool.stats or [Stats(kinds=set()) for _ in columns]
        self.shapes = [
            Shape(column, each.kind(column.kind), each)
            for column, each in zip(columns, stats, strict=True)
        ]

    @property
    def rows(self) -> int:
        return self._spool.rows

    def pages(self) -> Iterator[list[ColumnPage]]:
        for page in self._spool.pages():
            yield page
            self._on_page(page[0].rows)

    def column(self, number: int) -> Iterator[ColumnPage]:
        return self._spool.column(number)
