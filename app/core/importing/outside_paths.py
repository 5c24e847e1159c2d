"""Counts the rows of a list whose absolute paths lie outside the folders given by the user.

Only the texts are looked at. Nobody has allowed these folders yet, so the disk is not asked.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.checked_toml import printable
from agent.spectra.urls import is_url, url_folder
from app.core.errors import counted_text
from app.core.session.spectra_folders import MAX_FOLDERS, folders_above, is_within, summarized

MAX_PATH = 4096
MAX_NAMED = 10_000
"""Folders while counting; the result has at most MAX_FOLDERS, those with the most rows."""
MAX_TOLD, MAX_SHOWN = 3, 300
_DRIVE = re.compile(r"[A-Za-z]:/|//")


@dataclass(frozen=True, kw_only=True)
class OutsidePaths:
    """The folders, summarized, and how many rows name a file in them."""

    folders: tuple[str, ...] = ()
    rows: int = 0
    is_complete: bool = True
    """False: there may be more rows and folders, as not all of the list was read."""


def outside_text(outside: OutsidePaths) -> str:
    """As '60 rows name spectra outside the folder of the list, in /data/labelled'."""
    rows = counted_text(outside.rows, "row")
    name = "names" if outside.rows == 1 else "name"
    more = f" and {len(outside.folders) - MAX_TOLD} more" if len(outside.folders) > MAX_TOLD else ""
    folders = printable(", ".join(outside.folders[:MAX_TOLD]), MAX_SHOWN)
    return f"{rows} {name} spectra outside the folder of the list, in {folders}{more}"


class OutsideCounter:
    """Counts folders outside `roots`, which are absolute and normalized."""

    def __init__(self, roots: Iterable[str]) -> None:
        self._roots = tuple(roots)
        self._rows: Counter[str] = Counter()
        self._folders: dict[str, str] = {}

    def add(self, texts: Sequence[str]) -> None:
        starts = Counter(text.replace("\\", "/").rpartition("/")[0] + "/" for text in texts if text)
        for start, count in starts.items():
            if start not in self._folders:
                self._folders[start] = absolute_folder(start)
            folder = self._folders[start]
            if folder and not any(is_within(folder, root) for root in self._roots):
                self.add_folder(folder, count)
        if len(self._folders) > MAX_NAMED:
            self._folders.clear()

    def add_folder(self, folder: str, rows: int = 1) -> None:
        self._rows[folder] += rows
        if len(self._rows) > MAX_NAMED:
            self._rows = Counter(dict(self._by_summary().most_common(MAX_NAMED // 2)))

    def found(self, *, is_complete: bool = True) -> OutsidePaths:
        rows = dict(self._by_summary().most_common(MAX_FOLDERS))
        return OutsidePaths(
            folders=tuple(sorted(rows)), rows=sum(rows.values()), is_complete=is_complete
        )

    def _by_summary(self) -> Counter[str]:
        kept = set(summarized(self._rows))
        found: Counter[str] = Counter()
        for folder, count in self._rows.items():
            above = kept.intersection((folder, *folders_above(folder)))
            found.update(dict.fromkeys(above, count))
        return found


def absolute_folder(text: str) -> str:
    """The normalized folder if the text is an absolute path on this system or an address, else ''.

    Nor is a whole disk a folder that anybody should allow.
    """
    if is_url(text):
        return url_folder(text)
    is_usable = len(text) < MAX_PATH and "\0" not in text and is_absolute(text)
    if not is_usable or not Path(text).is_absolute():
        return ""
    folder = os.path.normpath(text)
    return "" if folder == Path(folder).anchor else folder


def is_absolute(text: str) -> bool:
    """Whether the text, with slashes, is an absolute path on any system."""
    return text.startswith("/") or _DRIVE.match(text) is not None
