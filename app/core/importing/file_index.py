"""Files of spectra by name, for lists that do not say where they lie."""

from __future__ import annotations

import re
from pathlib import Path

from app.core.importing.folder_walk import ShouldStop, never, spectrum_files
from app.core.importing.suffixes import stem_of

_NUMBER = re.compile(r"[0-9]{9,}")
"""Shorter ones may be dates, plates or anything."""
TWICE = ""


class FileIndex:
    """Of one folder, built once. Case does not matter; what is there twice is not told apart."""

    def __init__(self, root: Path, should_stop: ShouldStop = never) -> None:
        self._by_name: dict[str, str] = {}
        self._by_stem: dict[str, str] = {}
        self._by_number: dict[str, str] = {}
        for folder, name in spectrum_files(root, should_stop):
            path = str(Path(folder, name))
            low = name.lower()
            stem = stem_of(low)
            _note(self._by_name, low, path)
            _note(self._by_stem, stem, path)
            for number in set(_NUMBER.findall(stem)):
                _note(self._by_number, number, path)

    def named(self, name: str) -> str:
        """The file of that name, empty where there is none or more than one."""
        return self._by_name.get(name.lower(), "")

    def called(self, stem: str) -> str:
        """The file whose name without suffix is that, or has that long number in it alone."""
        low = stem.lower()
        if found := self._by_stem.get(low):
            return found
        return self._by_number.get(low, "") if _NUMBER.fullmatch(low) else ""


def _note(index: dict[str, str], key: str, path: str) -> None:
    index[key] = path if index.get(key, path) == path else TWICE
