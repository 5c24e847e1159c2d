"""What a list looks like before it is imported, also where nobody could guess its columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from agent.errors import WorkbenchError
from app.core.importing.errors import ImportFailed
from app.core.importing.folder_walk import never
from app.core.importing.formats.contents import ListColumn, ListFile, Refused, Value
from app.core.importing.formats.formats import open_list
from app.core.importing.importer import SHOWN_ROWS
from app.core.importing.opening import OpenedList, find_list, naming, normal
from app.core.importing.roles import Roles

Rows = tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, kw_only=True)
class ListPreview:
    """`problem`: why it cannot be imported as it stands; there may be columns to choose all the
    same."""

    path: Path
    format: str = ""
    columns: tuple[ListColumn, ...] = ()
    rows: Rows = ()
    roles: Roles = field(default_factory=Roles)
    estimate: int | None = None
    refused: tuple[Refused, ...] = ()
    warnings: tuple[str, ...] = ()
    problem: str = ""


def look_at(
    path: Path,
    chosen: Mapping[str, str],
    should_stop: Callable[[], bool] = never,
    progress: Callable[[int, int | None], object] = lambda done, total: None,
) -> ListPreview:
    """Reads the beginning of a file, or all of a folder. Raises ImportStopped alone."""
    path = normal(path)
    try:
        with naming(path):
            return _from_found(path, find_list(path, chosen, should_stop, progress))
    except ImportFailed as error:
        return _columns_alone(path, str(error))


def _from_found(path: Path, found: OpenedList) -> ListPreview:
    return ListPreview(
        path=path,
        format=found.file.format,
        columns=found.file.columns,
        rows=tuple(found.sample.rows[:SHOWN_ROWS]),
        roles=found.roles,
        estimate=found.file.estimate,
        refused=tuple(found.sample.refused[:SHOWN_ROWS]),
        warnings=(*found.notes, *found.file.warnings()),
    )


def _columns_alone(path: Path, problem: str) -> ListPreview:
    try:
        file = open_list(path)
        rows = _first_rows(file)
    except (WorkbenchError, OSError):
        return ListPreview(path=path, problem=problem)
    return ListPreview(
        path=path,
        format=file.format,
        columns=file.columns,
        rows=rows,
        estimate=file.estimate,
        problem=problem,
    )


def _first_rows(file: ListFile) -> Rows:
    for block in file.blocks():
        if block.lines:
            columns = (cells.values()[:SHOWN_ROWS] for cells in block.cells)
            return tuple(islice(zip(*columns, strict=True), SHOWN_ROWS))
    return ()
