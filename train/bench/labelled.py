"""Archives that say the class of each spectrum: by its folder, or in a list."""

from __future__ import annotations

import re
from pathlib import Path
from sys import intern

from agent.checked_toml import printable
from train.bench.published_rows import known_tasks

MAX_FOLDERS = 500


def label_of(text: str) -> str:
    """The task that a label names, such as CS for `Carbon stars`; any other label as it is."""
    names, _ = known_tasks()
    plain = re.sub(r"[\W_]", "", text.casefold())
    found = next((names[each] for each in (plain, plain.removesuffix("s")) if each in names), "")
    return intern(found or printable(text, 80))


def class_folders(root: Path) -> dict[str, str]:
    """The labels of the folders in `root`, by name, if one of them has the name of a class."""
    names, _ = known_tasks()
    found = {}
    for each in root.iterdir():
        if each.is_dir() and not each.is_symlink() and not each.name.startswith("."):
            found[each.name] = label_of(each.name)
        if len(found) > MAX_FOLDERS:
            return {}
    return found if set(found.values()) & {*names.values()} else {}
