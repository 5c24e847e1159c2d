"""A preview of a list before it is imported, even if the roles of its columns are unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from agent.errors import WorkbenchError
from app.core.errors import ImportFailed
from app.core.importing.formats.contents import ListColumn, ListFile, Refused, Value
from app.core.importing.formats.formats import open_list
from app.core.importing.importer import SHOWN_ROWS
from app.core.importing.opening import OpenedList, errors_naming, normalized_path, open_for_import
from app.core.importing.roles import Roles
from app.core.progress import never

Rows = tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, kw_only=True)
class ListPreview:
    """`problem` says why the list cannot be imported; columns may be given nevertheless."""

    path: Path
    format: str = ""
    columns: tuple[ListColumn, ...] = ()
    rows: Rows = ()
    roles: Roles = field(default_factory=Roles)
    estimate: int | None = None
    refused: tuple[Refused, ...] = ()
    warnings: tuple[str, ...] = ()
    problem: str = ""


def preview_list(
    path: Path,
    chosen: Mapping[str, str],
    should_stop: Callable[[], bool] = never,
    progress: Callable[[int, int | None], object] = lambda done, total: None,
) -> ListPreview:
    """Preview a list from the start of a file or all of a folder. Raises only ImportStopped."""
    path = normalized_path(path)
    try:
        with errors_naming(path):
            return _from_opened(path, open_for_import(path, chosen, should_stop, progress))
    except ImportFailed as error:
        return _columns_only(path, str(error))


def _from_opened(path: Path, opened: OpenedList) -> ListPreview:
    return ListPreview(
        path=path,
        format=opened.file.format,
        columns=opened.file.columns,
        rows=tuple(opened.sample.rows[:SHOWN_ROWS]),
        roles=opened.roles,
        estimate=opened.file.estimate,
        refused=tuple(opened.sample.refused[:SHOWN_ROWS]),
        warnings=(*opened.notes, *opened.file.warnings()),
    )


def _columns_only(path: Path, problem: str) -> ListPreview:
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
