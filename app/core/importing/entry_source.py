"""Reads the entries of an opened list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.core.errors import ImportFailed
from app.core.importing.entries import FIELDS, Entries, EntryMaker
from app.core.importing.formats.contents import ListColumn
from app.core.importing.opening import OpenedList
from app.core.importing.outside_paths import OutsidePaths
from app.core.importing.spectrum_locator import SpectrumLocator

MAX_RATIO = 300
ROW_BYTES = 100
FREE_BYTES = 64 * 1024**2
"""What a session may take for a list beyond MAX_RATIO times its size; a row takes ROW_BYTES too."""


@dataclass(frozen=True, kw_only=True)
class SourceSummary:
    """Facts known after the last entry has been read."""

    columns: tuple[ListColumn, ...]
    missing_files: int
    without_file: int
    warnings: tuple[str, ...]
    outside: OutsidePaths


class InProcessSource:
    """The entries of an opened list, read in this process; the program uses it in a child only.

    `list_bytes` is the size of the file: rows of empty or repeated cells take next to nothing in
    it, and each takes the names of all its columns in a session.
    """

    def __init__(
        self, opened: OpenedList, locator: SpectrumLocator, list_bytes: int | None = None
    ) -> None:
        self._opened = opened
        self._locator = locator
        self._most_bytes = None if list_bytes is None else FREE_BYTES + MAX_RATIO * list_bytes
        self._maker = self._new_maker()

    def entries(self) -> Iterator[Entries]:
        """All entries from the start. Raises CellMismatch if a cell does not match its column."""
        self._maker = self._new_maker()
        self._locator.restart()
        total = 0
        for block in self._opened.file.blocks():
            entries = self._maker.entries(block)
            total += _stored_bytes(entries)
            if self._most_bytes is not None and total > self._most_bytes:
                raise ImportFailed(
                    f"its rows take more than {MAX_RATIO:,} times its size: save it without the "
                    "columns that say nothing"
                )
            yield entries

    def recheck_types(self) -> None:
        """Detect the column types again after a CellMismatch; then call `entries` again."""
        self._opened.file.recheck_types()

    def summary(self) -> SourceSummary:
        return SourceSummary(
            columns=self._opened.file.columns,
            missing_files=self._locator.missing,
            without_file=self._maker.without_file,
            warnings=(*self._opened.notes, *self._opened.file.warnings(), *self._maker.warnings()),
            outside=self._locator.outside.found(),
        )

    def _new_maker(self) -> EntryMaker:
        return EntryMaker(self._opened.file.columns, self._opened.roles, self._locator)


def _stored_bytes(entries: Entries) -> int:
    texts = (entries.columns[FIELDS.index(name)] for name in ("path", "own", "listed_path"))
    return ROW_BYTES * len(entries) + sum(sum(map(len, each)) for each in texts)
