"""The path of a spectrum as its list gives it, and the folder from which it counts."""

from __future__ import annotations

import os
from collections.abc import Sequence

PathCells = tuple[list[str], list[str | None]]


def path_cells(paths: Sequence[str], listed: Sequence[str]) -> PathCells:
    """Two columns, which joined are the file: a relative path with its folder, or the whole path.

    `listed` is empty where the list gives the whole path or none. A file found in another place
    than the list says is given by its whole path.
    """
    pairs = [_split(path, text) for path, text in zip(paths, listed, strict=True)]
    return [path for path, _ in pairs], [folder for _, folder in pairs]


def _split(path: str, text: str) -> tuple[str, str | None]:
    if not text:
        return path, None
    end = os.sep + text
    if not path.endswith(end):
        end = os.sep + os.path.normpath(text.replace("\\", "/"))
        if not path.endswith(end):
            return path, None
    return text, path[: -len(end)] or os.sep
