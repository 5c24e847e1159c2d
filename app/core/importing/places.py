"""Where the spectrum lies that a list names; never outside what the user named.

A relative path counts from the list's folder, then from the folder given for spectra. A path, or a
symbolic link on it, that leaves both is refused, unless the user allows absolute paths: then one
that the list gives as absolute is taken as it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from agent.checked_toml import printable
from app.core.importing.folder_walk import (
    ShouldStop,
    is_file_inside,
    lies_in,
    never,
    spectrum_files,
)
from app.core.importing.suffixes import stem_of
from app.core.importing.survey_names import companions

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


MAX_PATH = 4096
MAX_NAMES = 1_000_000
"""Of files remembered at a time ..."""
FOLDER_COST = 5
"""... of which a folder counts as so many."""
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_DRIVE = re.compile(r"[A-Za-z]:/|//")
_NO_NAMES = frozenset(("", ".", ".."))


@dataclass(frozen=True)
class _Root:
    path: str
    real: str


@dataclass(slots=True)
class _Folder:
    """What the part of a path before its last slash leads to. `prefix` ends with a separator;
    `other` is a second folder that may be meant. `is_plain`: what is not in it is just missing."""

    prefix: str = ""
    files: frozenset[str] = frozenset()
    links_out: frozenset[str] = frozenset()
    refusal: str = ""
    other: _Folder | None = None
    is_plain: bool = False


class Places:
    """`place` is the list, or a folder that is one. `missing` counts the files that are not there
    now: their disk may not be mounted."""

    def __init__(
        self,
        place: Path,
        spectra: Path | None = None,
        *,
        allow_absolute: bool = False,
        should_stop: ShouldStop = never,
    ) -> None:
        list_folder = place if place.is_dir() else place.parent
        folders = [list_folder] if spectra is None else [list_folder, spectra]
        self._name = place.name
        self._roots = [
            _Root(os.path.normpath(each.absolute()), os.path.realpath(each)) for each in folders
        ]
        self._spectra = spectra
        self._allow_absolute = allow_absolute
        self._should_stop = should_stop
        self._known: dict[str, _Folder] = {}
        self._names = 0
        self.missing = 0

    def place_all(self, texts: Sequence[str], refused: dict[int, str]) -> list[str]:
        """Absolute paths; of a file that is not there, where it should be. Empty where the list
        names none, and where it may not be used: then `refused` says why, by place."""
        found = []
        last: str | None = None
        for at, text in enumerate(texts):
            if "\\" in text:
                text = text.replace("\\", "/")
            start, slash, name = text.rpartition("/")
            if start != last or not slash:  # most lists go folder by folder
                folder = self._known.get(start + slash) or self._look_up(start + slash)
                last = start if slash else None
            if name in folder.files:
                found.append(folder.prefix + name)
            elif folder.is_plain and name not in _NO_NAMES and len(text) < MAX_PATH:
                self.missing += 1
                found.append(folder.prefix + name)
            else:
                found.append(self._elsewhere(folder, name, text, refused, at) if text else "")
        return found

    def find(self, stems: Iterable[str]) -> str:
        """The file in the folder for spectra that is called so; empty where there is none."""
        if self._spectra is None:
            return ""
        found = (self._index.called(stem) for stem in stems if stem)
        return next(filter(None, found), "")

    def companion(self) -> str:
        """The spectra beside a list that is named after them; empty where there are none."""
        for name in companions(self._name):
            folder = self._known.get("") or self._look_up("")
            for each in filter(None, (folder, folder.other)):
                if name in each.files:
                    return each.prefix + name
        return ""

    @cached_property
    def _index(self) -> FileIndex:
        assert self._spectra is not None
        return FileIndex(self._spectra, self._should_stop)

    def _elsewhere(
        self, folder: _Folder, name: str, text: str, refused: dict[int, str], at: int
    ) -> str:
        """Of a file that is not simply in its folder, or not there."""
        other = folder.other
        problem = ""
        if other is not None and name in other.files:
            return other.prefix + name
        if name in _NO_NAMES:
            problem = f"{_shown(text)} is a folder, not a file"
        elif len(text) >= MAX_PATH:
            problem = "its path is longer than any file's"
        elif self._spectra is not None and (found := self._index.named(name)):
            return found  # moved, but of one name only
        elif folder.refusal:
            problem = folder.refusal
        elif name in folder.links_out or (other is not None and name in other.links_out):
            problem = f"{_shown(text)} is a link that leads out, or no regular file"
        if problem:
            refused[at] = problem
            return ""
        self.missing += 1
        return (folder if other is None else other).prefix + name

    def _look_up(self, text: str) -> _Folder:
        if self._names > MAX_NAMES:
            self._known.clear()
            self._names = 0
        folder = self._folder(text)
        files = len(folder.files) + (len(folder.other.files) if folder.other else 0)
        self._names += FOLDER_COST + files
        folder.is_plain = not (
            folder.refusal or folder.links_out or folder.other or self._spectra is not None
        )
        self._known[text] = folder
        return folder

    def _folder(self, text: str) -> _Folder:
        if _URL.match(text):
            return _Folder(refusal=f"{_shown(text)} is a URL: fetch the file, then name it")
        if text.startswith("~"):
            return _Folder(refusal=f"{_shown(text)} begins with ~, which is not looked up")
        is_absolute = text.startswith("/") or _DRIVE.match(text) is not None
        is_free = is_absolute and self._allow_absolute
        inside = [each for each in self._wanted(text) if is_free or self._is_inside(each)]
        if not inside:
            told = f"{_shown(text)} is outside the folders given"
            return _Folder(refusal=f"{told}: name its folder with --spectra")
        reals = [root.real for root in self._roots]
        found = []
        for each in inside:
            real = os.path.realpath(each)
            if is_free or any(lies_in(real, root) for root in reals):
                found.append(_listed(each, [*reals, real] if is_free else reals))
        if not found:
            told = f"{_shown(text)} leads out of the folders given by a link"
            return _Folder(refusal=f"{told}: name where it leads with --spectra")
        if len(found) == 2:
            found[0].other = found[1]
        return found[0]

    def _wanted(self, text: str) -> list[str]:
        """Where it may lead, by its words."""
        if len(text) >= MAX_PATH or "\0" in text:
            return []
        if text.startswith("/") or _DRIVE.match(text):
            # A drive of Windows is nowhere on other systems.
            return [os.path.normpath(text)] if Path(text).is_absolute() else []
        return [os.path.normpath(Path(root.path, text)) for root in self._roots]

    def _is_inside(self, path: str) -> bool:
        return any(lies_in(path, each) for root in self._roots for each in (root.path, root.real))


def _listed(folder: str, reals: Sequence[str]) -> _Folder:
    """What there is; a folder that is not there, or may not be read, has no files."""
    prefix = folder.rstrip(os.sep) + os.sep
    files, links_out = [], []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if is_file_inside(entry, *reals):
                    files.append(entry.name)
                elif not entry.is_dir(follow_symlinks=False):
                    links_out.append(entry.name)
    except (OSError, ValueError):
        return _Folder(prefix)
    return _Folder(prefix, frozenset(files), frozenset(links_out))


def _shown(text: str) -> str:
    return f'"{printable(text, 120)}"'
