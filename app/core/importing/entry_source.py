"""Sources of entries: the protocol, and the one that reads the list in this process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from app.core.importing.entries import Entries, EntryMaker
from app.core.importing.formats.contents import ListColumn
from app.core.importing.opening import OpenedList
from app.core.importing.spectrum_locator import SpectrumLocator


@dataclass(frozen=True, kw_only=True)
class SourceSummary:
    """Facts known after the last entry has been read."""

    columns: tuple[ListColumn, ...]
    missing_files: int
    without_file: int
    warnings: tuple[str, ...]


class EntrySource(Protocol):
    def warm_up(self) -> None:
        """Do slow preparations now, before the session is locked for writing."""

    def entries(self) -> Iterator[Entries]:
        """All entries from the start. Raises CellMismatch if a cell does not match its column."""

    def recheck_types(self) -> None:
        """Detect the column types again after a CellMismatch; then call `entries` again."""

    def summary(self) -> SourceSummary: ...


class InProcessSource:
    """Reads the list in this process."""

    def __init__(self, opened: OpenedList, locator: SpectrumLocator) -> None:
        self._opened = opened
        self._locator = locator
        self._maker = self._new_maker()

    def warm_up(self) -> None:
        if self._opened.sample.block is not None:
            self._maker.entries(self._opened.sample.block)

    def entries(self) -> Iterator[Entries]:
        self._maker = self._new_maker()
        self._locator.missing = 0
        return map(self._maker.entries, self._opened.file.blocks())

    def recheck_types(self) -> None:
        self._opened.file.recheck_types()

    def summary(self) -> SourceSummary:
        return SourceSummary(
            columns=self._opened.file.columns,
            missing_files=self._locator.missing,
            without_file=self._maker.without_file,
            warnings=(*self._opened.file.warnings(), *self._maker.warnings()),
        )

    def _new_maker(self) -> EntryMaker:
        return EntryMaker(self._opened.file.columns, self._opened.roles, self._locator)
