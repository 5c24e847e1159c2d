"""Folders by their names alone, on this disk or at an address; neither is ever asked."""

import os
from collections.abc import Iterable
from pathlib import Path

from agent.spectra.urls import is_url, url_folder

MAX_FOLDERS = 8  # more are summarized by folders above them


def is_within(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or below it; both absolute and normalized."""
    step = "/" if is_url(folder) else os.sep
    return path == folder or path.startswith(folder.rstrip(step) + step)


def normalized(folder: Path | str) -> str:
    """An absolute folder, or one at an address; empty for an address with faults."""
    if isinstance(folder, str) and is_url(folder):
        return url_folder(folder.rstrip("/") + "/")
    return os.path.normpath(Path(folder).absolute())


def folders_above(folder: str) -> list[str]:
    """From the nearest to the disk, or to the host or bucket of an address."""
    if not is_url(folder):
        return [*map(str, Path(folder).parents)]
    scheme, _, rest = folder.partition("://")
    steps = rest.split("/")
    return [f"{scheme}://{'/'.join(steps[:count])}" for count in range(len(steps) - 1, 0, -1)]


def summarized(folders: Iterable[str]) -> tuple[str, ...]:
    """At most about MAX_FOLDERS folders that contain all of them, but never a whole disk."""
    kept = _without_nested(folders)
    while len(kept) > MAX_FOLDERS:
        depth = max(map(_depth, kept))
        above = {(folders_above(each) or [each])[0] for each in kept if _depth(each) == depth}
        if any(_is_whole(each) for each in above) or above <= set(kept):
            break
        kept = _without_nested({*above, *(f for f in kept if _depth(f) < depth)})
    return tuple(kept)


def _depth(folder: str) -> int:
    """How many folders are above it, those of one kind at the same depth."""
    return folder.count("/") - 1 if is_url(folder) else folder.count(os.sep)


def _is_whole(folder: str) -> bool:
    return not is_url(folder) and folder == Path(folder).anchor


def _without_nested(folders: Iterable[str]) -> list[str]:
    every = set(folders)
    return sorted(f for f in every if not every.intersection(folders_above(f)))
