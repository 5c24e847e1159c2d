"""The entries of a list, block after block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from app.core.importing.entries import Entries, EntryMaker
from app.core.importing.formats.contents import ListColumn
from app.core.importing.opening import OpenedList
from app.core.importing.places import Places


@dataclass(frozen=True, kw_only=True)
class ReadingSummary:
    """What is known once the last entry has been read."""

    columns: tuple[ListColumn, ...]
    missing_files: int
    without_file: int
    warnings: tuple[str, ...]


class Source(Protocol):
    def prime(self) -> None:
        """Do now what may take long before the first entry: nobody else has to wait for us yet."""

    def entries(self) -> Iterator[Entries]:
        """From the beginning. Raises Misfit where a column is of another kind than it seemed."""

    def settle(self) -> None:
        """After a Misfit; then `entries` begins again."""

    def outcome(self) -> ReadingSummary: ...


class Reading:
    """In this process."""

    def __init__(self, found: OpenedList, places: Places) -> None:
        self._found = found
        self._places = places
        self._maker = self._new_maker()

    def prime(self) -> None:
        if self._found.sample.block is not None:
            self._maker.entries(self._found.sample.block)

    def entries(self) -> Iterator[Entries]:
        self._maker = self._new_maker()
        self._places.missing = 0
        return map(self._maker.entries, self._found.file.blocks())

    def settle(self) -> None:
        self._found.file.settle()

    def outcome(self) -> ReadingSummary:
        return ReadingSummary(
            columns=self._found.file.columns,
            missing_files=self._places.missing,
            without_file=self._maker.without_file,
            warnings=(*self._found.file.warnings(), *self._maker.warnings()),
        )

    def _new_maker(self) -> EntryMaker:
        return EntryMaker(self._found.file.columns, self._found.roles, self._places)
