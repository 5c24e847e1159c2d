"""Questions about a path that somebody is still typing: any of them may be no path at all."""

from __future__ import annotations

from pathlib import Path


def is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long a name, for one
        return False


def is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
