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
from app.core.importing.opening import Found, find_list, naming, normal
from app.core.importing.roles import Roles

Rows = tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, kw_only=True)
class ListLook:
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
) -> ListLook:
    """Reads the beginning of a file, or all of a folder. Raises ImportStopped alone."""
    place = normal(path)
    try:
        with naming(place):
            return _from_found(place, find_list(place, chosen, should_stop, progress))
    except ImportFailed as error:
        return _columns_alone(place, str(error))


def _from_found(place: Path, found: Found) -> ListLook:
    return ListLook(
        path=place,
        format=found.file.format,
        columns=found.file.columns,
        rows=tuple(found.sample.rows[:SHOWN_ROWS]),
        roles=found.roles,
        estimate=found.file.estimate,
        refused=tuple(found.sample.refused[:SHOWN_ROWS]),
        warnings=(*found.notes, *found.file.warnings()),
    )


def _columns_alone(place: Path, problem: str) -> ListLook:
    try:
        file = open_list(place)
        rows = _first_rows(file)
    except (WorkbenchError, OSError):
        return ListLook(path=place, problem=problem)
    return ListLook(
        path=place,
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
