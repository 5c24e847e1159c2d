"""A preview of a list before it is imported, even if the roles of its columns are unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.core.importing.importer import look_at
from app.core.importing.opening import normalized_path
from app.core.importing.reports import Preview
from app.core.progress import never
from app.core.session.list_folders import list_folders


@dataclass(frozen=True, kw_only=True)
class ListPreview(Preview):
    path: Path
    is_allowed: bool = False
    """Whether the folders outside were allowed for this list before."""


def preview_list(
    path: Path,
    chosen: Mapping[str, str],
    should_stop: Callable[[], bool] = never,
    progress: Callable[[int, int | None], object] = lambda done, total: None,
) -> ListPreview:
    """Preview a list from the start of a file or all of a folder. Raises only ImportStopped."""
    path = normalized_path(path)
    found = look_at(path, chosen, should_stop=should_stop, progress=progress)
    remembered = list_folders(path) if found.outside.folders else ()
    is_allowed = {*found.outside.folders} <= {*remembered}
    return ListPreview(path=path, is_allowed=is_allowed, **vars(found))
