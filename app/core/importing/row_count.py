"""Counts the rows of a list for its preview, and those that name spectra outside its folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from app.core.errors import ImportFailed
from app.core.importing.formats.contents import ListFile, RowBlock
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.outside_paths import OutsideCounter, OutsidePaths

COUNT_S = 0.5
"""A preview counts no longer than this."""


@dataclass(frozen=True)
class RowCount:
    """`rows` of the list were read; if not `is_complete`, there may be more."""

    rows: int
    outside: OutsidePaths
    is_complete: bool


def count_rows(
    file: ListFile, paths_of: Callable[[RowBlock], Sequence[str]], roots: Iterable[str]
) -> RowCount:
    """Read an opened list for up to COUNT_S seconds; `paths_of` gives the paths of a block."""
    counter, rows, is_complete = OutsideCounter(roots), 0, False
    until = time.monotonic() + COUNT_S
    try:
        for block in file.blocks():
            rows += len(block.lines) + len(block.refused)
            if block.lines:
                counter.add(paths_of(block))
            if time.monotonic() > until:
                break
        else:
            is_complete = True
    except (ImportFailed, CellMismatch):  # told by the import
        pass
    return RowCount(rows, counter.found(is_complete=is_complete), is_complete)
