"""Folders by their names alone; the disk is never asked."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

MAX_FOLDERS = 8
"""More are summarized by folders above them."""


def is_within(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or below it; both absolute and normalized."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def summarized(folders: Iterable[str]) -> tuple[str, ...]:
    """At most about MAX_FOLDERS folders that contain all of them, but never a whole disk."""
    kept = _without_nested(folders)
    while len(kept) > MAX_FOLDERS:
        depth = max(each.count(os.sep) for each in kept)
        above = {str(Path(each).parent) for each in kept if each.count(os.sep) == depth}
        if any(each == Path(each).anchor for each in above):
            break
        kept = _without_nested({*above, *(f for f in kept if f.count(os.sep) < depth)})
    return tuple(kept)


def _without_nested(folders: Iterable[str]) -> list[str]:
    every = set(folders)
    return sorted(f for f in every if not every.intersection(map(str, Path(f).parents)))
