"""Find the spectrum files that a list names, only inside the folders given by the user.

A relative path is looked up in the folder of the list, then in the folder given for spectra. A path
that leaves both, directly or by a symbolic link, is refused, so that a list from a stranger cannot
read other files. Absolute paths and links are used in the folders that the user allows, or
everywhere; so are addresses of object stores and web servers, which are not asked here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from agent.checked_toml import is_unicode, printable
from agent.spectra.urls import is_url, url_folder, url_problem
from app.core.errors import ImportStopped
from app.core.importing import spectrum_files
from app.core.importing.outside_paths import MAX_PATH, OutsideCounter, absolute_folder, is_absolute
from app.core.importing.spectrum_rows import holds_several
from app.core.importing.survey_names import companions
from app.core.progress import ShouldStop, never
from app.core.session.spectra_folders import is_within

_NUMBER = re.compile(r"[0-9]{9,}")  # shorter numbers may be dates or plates
AMBIGUOUS = ""


class FileIndex:
    """Index of the spectra in a folder. Ignores case; ambiguous names are not found."""

    def __init__(self, root: Path, should_stop: ShouldStop = never) -> None:
        self._by_name: dict[str, str] = {}
        self._by_stem: dict[str, str] = {}
        self._by_number: dict[str, str] = {}
        for folder, name in spectrum_files.find_spectrum_files(root, should_stop):
            path = str(Path(folder, name))
            if not is_unicode(path):
                continue
            low = name.lower()
            stem = spectrum_files.stem_of(low)
            _add_unless_ambiguous(self._by_name, low, path)
            _add_unless_ambiguous(self._by_stem, stem, path)
            for number in set(_NUMBER.findall(stem)):
                _add_unless_ambiguous(self._by_number, number, path)

    def by_name(self, name: str) -> str:
        """Path of the file of that name, empty if there is none or more than one."""
        return self._by_name.get(name.lower(), "")

    def by_stem(self, stem: str) -> str:
        """Path of the only file with that stem, or with that long number in its stem."""
        low = stem.lower()
        if found := self._by_stem.get(low):
            return found
        return self._by_number.get(low, "") if _NUMBER.fullmatch(low) else ""


def _add_unless_ambiguous(index: dict[str, str], key: str, path: str) -> None:
    index[key] = path if index.get(key, path) == path else AMBIGUOUS


MAX_CACHED_NAMES = 1_000_000
"""Bound of the cache: file names, where a folder counts as FOLDER_WEIGHT names."""
FOLDER_WEIGHT = 5
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_NO_NAMES = frozenset(("", ".", ".."))


@dataclass(slots=True)
class _Folder:
    """The resolved directory part of a path in the list. `prefix` ends with a separator.

    `other` is a second candidate folder. If `is_simple`, a file not in `files` is just missing.
    """

    prefix: str = ""
    files: frozenset[str] = frozenset()
    links_out: frozenset[str] = frozenset()
    refusal: str = ""
    other: _Folder | None = None
    is_simple: bool = False
    outside: str = ""  # the absolute folder that the user could allow
    is_remote: bool = False


class SpectrumLocator:
    """Resolves the spectrum paths of the list (a file or a folder) at `list_path`.

    `missing` counts files that do not exist at the moment; their disk may not be mounted. `outside`
    counts the refused rows that name a file in an absolute folder.
    """

    def __init__(
        self,
        list_path: Path,
        spectra: Path | None = None,
        *,
        allow_absolute: bool = False,
        allowed: Iterable[str] = (),
        should_stop: ShouldStop = never,
    ) -> None:
        list_folder = list_path if list_path.is_dir() else list_path.parent
        folders = [list_folder] if spectra is None else [list_folder, spectra]
        self._name = list_path.name
        self._roots = [os.path.normpath(each.absolute()) for each in folders]
        self._real_roots = [os.path.realpath(each) for each in folders]
        self._spectra = spectra
        self._allow_absolute = allow_absolute
        self._allowed = tuple(allowed)
        given = [Path(self._roots[0]).anchor] if allow_absolute else self._allowed
        self._real_targets = [os.path.realpath(each) for each in given if not is_url(each)]
        """Where links may lead beside the folders of the list and of the spectra."""
        self._should_stop = should_stop
        self._cache: dict[str, _Folder] = {}
        self._cached_names = 0
        self.restart()

    def restart(self) -> None:
        """Count from the start of the list again."""
        self.missing = 0
        self.outside = OutsideCounter(())

    def resolve_all(self, texts: Sequence[str], refused: dict[int, str]) -> list[str]:
        """The absolute path of each file; for a missing one, where it should be.

        Empty if the list gives no file, or if it may not be used; `refused` then gets the reason
        by index.
        """
        paths = []
        last: str | None = None
        for index, text in enumerate(texts):
            if "\\" in text:
                text = text.replace("\\", "/")
            start, slash, name = text.rpartition("/")
            if start != last or not slash:  # most lists go folder by folder
                folder = self._folder(start + slash)
                last = start if slash else None
            if name in folder.files:
                paths.append(folder.prefix + name)
            elif folder.is_simple and name not in _NO_NAMES and len(text) < MAX_PATH:
                self.missing += 1
                paths.append(folder.prefix + name)
            elif text:
                paths.append(self._resolve_unusual(folder, name, text, refused, index))
            else:
                paths.append("")
        return paths

    def has(self, text: str) -> bool:
        """Whether this file is in the folders."""
        start, slash, name = text.replace("\\", "/").rpartition("/")
        folder = self._folder(start + slash)
        return name in folder.files or (folder.other is not None and name in folder.other.files)

    def add_links(self, texts: Iterable[str]) -> None:
        """Count those that are links to outside, one by one: the folders are not searched."""
        for text in texts:
            if text and not is_absolute(text) and len(text) < MAX_PATH and "\0" not in text:
                path = os.path.normpath(Path(self._roots[0], text.replace("\\", "/")))
                outside = self._outside_target(path) if self._is_inside(path) else ""
                if outside:
                    self.outside.add_folder(outside)

    def find_by_name(self, stems: Iterable[str]) -> str:
        """The file in the spectra folder with one of these stems; empty if there is none."""
        if self._spectra is None:
            return ""
        paths = (self._index.by_stem(stem) for stem in stems if stem)
        return next(filter(None, paths), "")

    def companion(self) -> str:
        """The DESI spectra file that belongs to a redshift file; empty if there is none."""
        for name in companions(self._name):
            folder = self._folder("")
            for each in filter(None, (folder, folder.other)):
                if name in each.files:
                    return each.prefix + name
        return ""

    def holds_several(self, path: str) -> bool:
        """Whether a file has several spectra, for which it is opened."""
        self._should_stop()  # so the other process hears that this one is at work
        return holds_several(path)

    @cached_property
    def _index(self) -> FileIndex:
        assert self._spectra is not None
        return FileIndex(self._spectra, self._should_stop)

    def _resolve_unusual(
        self, folder: _Folder, name: str, text: str, refused: dict[int, str], index: int
    ) -> str:
        """The path of a file that is not in its folder; sets `refused` if it may not be used."""
        other = folder.other
        problem, outside = "", folder.outside
        if other is not None and name in other.files:
            return other.prefix + name
        if name in _NO_NAMES:
            problem = f"{_shown(text)} is a folder, not a file"
        elif folder.is_remote and (fault := url_problem(text)):
            problem = f"{_shown(text)}: {fault}"
        elif len(text) >= MAX_PATH:
            problem = f"its path is longer than {MAX_PATH:,} characters"
        elif self._spectra is not None and (found := self._index.by_name(name)):
            return found  # moved elsewhere in the spectra folder
        elif folder.refusal:
            problem = folder.refusal
        elif name in folder.links_out or (other is not None and name in other.links_out):
            problem = (
                f"{_shown(text)} is a link to outside the allowed folders, or not a regular file"
            )
            outside = self._outside_target(folder.prefix + name)
        if problem:
            refused[index] = problem
            if outside:
                self.outside.add_folder(outside)
            return ""
        if folder.is_remote:
            return text
        self.missing += 1
        return (folder if other is None else other).prefix + name

    def _folder(self, text: str) -> _Folder:
        if cached := self._cache.get(text):
            return cached
        if self._cached_names > MAX_CACHED_NAMES:
            self._cache.clear()
            self._cached_names = 0
        folder = self._resolve_folder(text)
        files = len(folder.files) + (len(folder.other.files) if folder.other else 0)
        self._cached_names += FOLDER_WEIGHT + files
        is_special = folder.refusal or folder.links_out or folder.other or folder.is_remote
        folder.is_simple = not is_special and self._spectra is None
        self._cache[text] = folder
        return folder

    def _resolve_folder(self, text: str) -> _Folder:
        if is_url(text):
            return self._resolve_url(text)
        if _URL.match(text):
            return _Folder(refusal=f"{_shown(text)} is a URL: download the file and give its path")
        if text.startswith("~"):
            return _Folder(
                refusal=f"{_shown(text)} begins with ~, which is not supported: give the full path"
            )
        is_free = is_absolute(text) and self._is_allowed(absolute_folder(text))
        inside = [each for each in self._possible_folders(text) if is_free or self._is_inside(each)]
        if not inside:
            reason = f"{_shown(text)} is outside the allowed folders"
            refusal = f"{reason}: give its folder as the one of the spectra"
            return _Folder(refusal=refusal, outside=absolute_folder(text))
        reals = [*self._real_roots, *self._real_targets]
        found = []
        for each in inside:
            real = os.path.realpath(each)
            if is_free or any(is_within(real, root) for root in reals):
                folders = [*reals, real] if is_free else reals
                found.append(_scan_folder(each, folders, self._should_stop))
        if not found:
            reason = f"{_shown(text)} is a link to outside the allowed folders"
            refusal = f"{reason}: give its target folder as the one of the spectra"
            return _Folder(refusal=refusal, outside=absolute_folder(os.path.realpath(inside[0])))
        if len(found) == 2:
            found[0].other = found[1]
        return found[0]

    def _resolve_url(self, text: str) -> _Folder:
        folder = url_folder(text)
        if not folder:
            return _Folder(refusal=f"{_shown(text)}: {url_problem(text)}")
        if self._is_allowed(folder):
            return _Folder(is_remote=True)
        refusal = f"{_shown(text)} is an address that was not allowed: allow it, or give a file"
        return _Folder(refusal=refusal, outside=folder)

    def _possible_folders(self, text: str) -> list[str]:
        """The folders that the text may mean, without looking at the disk."""
        if len(text) >= MAX_PATH or "\0" in text:
            return []
        if is_absolute(text):
            # A Windows drive does not exist on other systems.
            return [os.path.normpath(text)] if Path(text).is_absolute() else []
        return [os.path.normpath(Path(root, text)) for root in self._roots]

    def _is_allowed(self, folder: str) -> bool:
        return self._allow_absolute or any(
            is_within(folder, each) for each in self._allowed if folder
        )

    def _outside_target(self, path: str) -> str:
        """The folder outside to which this link leads; empty if it does not."""
        target = os.path.realpath(path)
        return "" if self._is_inside(target) else absolute_folder(str(Path(target).parent))

    def _is_inside(self, path: str) -> bool:
        return any(is_within(path, root) for root in (*self._roots, *self._real_roots))


def _scan_folder(folder: str, reals: Sequence[str], should_stop: ShouldStop) -> _Folder:
    """The files of a folder; a missing or unreadable folder has none."""
    prefix = folder.rstrip(os.sep) + os.sep
    files, links_out = [], []
    try:
        with os.scandir(folder) as entries:
            for number, entry in enumerate(entries):
                if number % spectrum_files.STOP_EVERY == 0 and should_stop():
                    raise ImportStopped(f"the search of the folder {folder} was stopped")
                if spectrum_files.is_file_inside(entry, *reals):
                    files.append(entry.name)
                elif not entry.is_dir(follow_symlinks=False):
                    links_out.append(entry.name)
    except (OSError, ValueError):
        return _Folder(prefix)
    return _Folder(prefix, frozenset(files), frozenset(links_out))


def _shown(text: str) -> str:
    return f'"{printable(text, 120)}"'
