"""What a survey consists of: spectra in folders, lists, cloud folders and single files, one by one.

Nothing here holds the names of all files: a survey may have ten million.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from agent.checked_toml import is_unicode
from agent.errors import WorkbenchError
from agent.spectra.fits.source_file import cloud_files
from agent.spectra.urls import is_url
from app.core.errors import ImportFailed
from app.core.importing.child.parent import ListReaderProcess
from app.core.importing.entries import FIELDS, Entries
from app.core.importing.formats.text_cells import CellMismatch
from app.core.importing.opening import errors_naming, normalized_path
from app.core.importing.spectrum_files import (
    MAX_DEPTH,
    PARQUET,
    has_spectrum_suffix,
    is_file_inside,
)
from app.core.importing.spectrum_rows import SpectrumRow, rows_of

ANY_ROW = -1  # of an input that is a whole file, whatever spectra it has
OnProblem = Callable[[str, str], None]
"""Called with what could not be read, and why."""


@dataclass(frozen=True, slots=True)
class Input:
    """A spectrum file, or one spectrum of it, and what a list says of it."""

    path: str
    row: int = ANY_ROW
    object_id: str = ""
    ra: float | None = None
    dec: float | None = None
    is_of_long_file: bool = False  # a row of a file that was given as a whole


def as_source(text: str) -> str:
    """A source as the manifest keeps it: an address, or an absolute path."""
    return text if is_url(text) else str(normalized_path(text).absolute())


def inputs(source: str, on_problem: OnProblem, *, trust_paths: bool = False) -> Iterator[Input]:
    """All inputs of a folder, a cloud folder, a list or a spectrum file."""
    if is_url(source):
        try:
            yield from (Input(each) for each in cloud_files(source) if has_spectrum_suffix(each))
        except WorkbenchError as error:
            on_problem(source, str(error))
        return
    path = Path(source)
    if path.is_dir():
        yield from chain.from_iterable(map(_of_file, _files(source, on_problem)))
    elif not path.is_file():
        on_problem(source, "there is no such file or folder")
    elif rows := rows_of(path):
        yield from _of_rows(source, rows)
    else:
        yield from _listed(path, on_problem, trust_paths)


def _of_file(path: str) -> Iterator[Input]:
    """The input that a file of a folder is; only a Parquet table is opened for that."""
    return _of_rows(path, rows_of(Path(path)) if path.lower().endswith(PARQUET) else [])


def _of_rows(path: str, rows: Sequence[SpectrumRow]) -> Iterator[Input]:
    """The whole file; a Parquet table may have a million rows, each an input of its own."""
    if rows and path.lower().endswith(PARQUET):
        return (Input(path, each.row, each.object_id, each.ra, each.dec) for each in rows)
    return iter([Input(path)])


def _files(root: str, on_problem: OnProblem) -> Iterator[str]:
    """The spectrum files below a folder, as the disk gives them; hidden ones are left out.

    As when a folder is imported, links lead nowhere outside it.
    """
    real = os.path.realpath(root)
    to_visit = [(root, 0)]
    while to_visit:
        folder, depth = to_visit.pop()
        folders = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                    elif has_spectrum_suffix(entry.name) and is_file_inside(entry, real):
                        if is_unicode(entry.path):
                            yield entry.path
                        else:
                            on_problem(repr(entry.path), "its name is not valid Unicode: rename it")
        except OSError as error:
            on_problem(folder, f"the folder cannot be read: {error.strerror}")
        if depth < MAX_DEPTH:
            to_visit += [(str(Path(folder, name)), depth + 1) for name in sorted(folders)[::-1]]


def _listed(path: Path, on_problem: OnProblem, trust_paths: bool) -> Iterator[Input]:
    used = [FIELDS.index(name) for name in ("path", "row", "object_id", "ra", "dec")]
    try:
        with ListReaderProcess(path, {}, allow_absolute=trust_paths) as reader:
            reader.opened()
            for _ in range(2):  # once more where a cell is not of the type of its column
                with suppress(CellMismatch):
                    for entries in reader.entries():
                        for refused in entries.refused:
                            on_problem(f"{path}, row {refused.line}", refused.reason)
                        rows = zip(*(entries.columns[number] for number in used), strict=True)
                        yield from (Input(*row) for row in rows if row[0])
                    return
    except (ImportFailed, WorkbenchError) as error:
        on_problem(str(path), str(error))


def known_positions(path: Path) -> list[tuple[float, float]]:
    """Positions of known members in degrees. Raises ImportFailed where the list has none."""
    path = normalized_path(path)
    with errors_naming(path), ListReaderProcess(path, {"path": ""}) as reader:
        reader.opened()
        if found := reader.read(_positions):
            return found
        raise ImportFailed("it has no positions: columns ra and dec in degrees")


def _positions(pages: Iterable[Entries]) -> list[tuple[float, float]]:
    columns = ([page.columns[FIELDS.index(name)] for name in ("ra", "dec")] for page in pages)
    pairs = chain.from_iterable(zip(ra, dec, strict=True) for ra, dec in columns)
    return [pair for pair in pairs if None not in pair]
