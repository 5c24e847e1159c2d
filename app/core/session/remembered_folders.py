"""Small files beside this person's settings that hold lists of folders by key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from agent.atomic_file import write_file
from agent.spectra.urls import is_url, url_folder
from app.core.reviewer_name import settings_path

MAX_BYTES = 4_000_000
MAX_KEYS = 2000


def read_folders(name: str) -> dict[str, list[str]]:
    """What the file holds; nothing if it is missing or damaged."""
    try:
        with settings_path().with_name(name).open("rb") as stream:
            found = json.loads(stream.read(MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        key: [each for each in folders if isinstance(each, str) and _is_whole(each)]
        for key, folders in found.items()
        if isinstance(folders, list)
    }


def save_folders(name: str, known: Mapping[str, list[str]]) -> None:
    """Write the newest keys, which are the last ones; where this fails, nothing is kept."""
    newest = dict([*known.items()][-MAX_KEYS:])
    path = settings_path().with_name(name)
    with suppress(OSError):  # then the question is asked again
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, json.dumps(newest, indent=1).encode("utf-8", "replace"))


def _is_whole(folder: str) -> bool:
    """Whether it means the same wherever the program runs."""
    return bool(url_folder(folder + "/")) if is_url(folder) else Path(folder).is_absolute()
