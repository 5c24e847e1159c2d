"""The table that `spec-o3 find` makes: a folder of Parquet files beside a manifest.

`part-000001.parquet` and so on have a row for each spectrum, `unread-000001.parquet` one for each
that could not be read. Each is written beside and moved, so that what is there is whole, and what
is not there has not been looked at yet: a search that was killed goes on from what it finds.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from agent.atomic_file import atomic_path, write_file
from agent.errors import WorkbenchError, write_errors
from agent.hashing import file_hash
from agent.json_lines import append_to_log, read_log
from agent.program_version import program_version
from agent.tasks.task import Task
from agent.tasks.task_file import parse_task
from app.core.database.file_lock import SessionLock
from app.core.errors import SessionHeldError
from app.core.finding.inputs import ANY_ROW
from app.core.finding.looking import LookSettings, Rows
from app.core.finding.processes import weights_hash
from app.core.importing.importer import DuplicateFilter

NEEDS_PYARROW = 'a search needs pyarrow: pip install "spec-o3-workbench[formats]"'
MANIFEST, FILES = "manifest.json", "files.jsonl"
KIND = "spec-o3 find"
VERSION = 1
PART = re.compile(r"(?:part|unread)-\d{6}\.parquet", re.ASCII)
MOST_SOURCES = 10_000
PAGE = 50_000

WHOLE = ("row", "rows", "quality", "found_rank", "epochs")
TEXTS = (
    "path", "object_id", "survey", "kind", "found_kind", "planted", "reason", "flaws",
    "other_epochs",
)  # fmt: skip
BOOLEANS = ("measured",)
DOUBLES = ("ra", "dec", "z", "epoch", "planted_p", "found_score", "found_p")
UNITS = {
    "ra": "deg", "dec": "deg", "velocity_kms": "km/s", "velocity_error_kms": "km/s",
    "low": "Angstrom", "high": "Angstrom", "epoch": "d",
}  # fmt: skip
DESCRIBED = {
    "row": "Row in the file, or TARGETID", "rows": "Spectra in the file",
    "epoch": "Modified Julian date of the observation", "snr": "Median S/N per pixel",
    "z": "Redshift in the file", "velocity_kms": "From the lines, at first from a template",
    "low": "First good wavelength", "high": "Last good wavelength",
    "quality": "1 masked, 2 sky, 4 join, 8 saturated, 16 negative, 32 part, 64 noise",
    "kind": "Likeliest kind of object at a first look", "kind_p": "Its probability",
    "oddness": "Log-odds of being none of the ordinary stars",
    "measured": "Whether it was inspected in full, for the classes with a p",
    "found_rank": "Rank in the choice", "flaws": "What limits the quality",
    "found_score": "p(YES) of a whole inspection, or p of a first look less 1; or the oddness",
    "epochs": "Spectra of this star in the survey", "other_epochs": "The others, file#row",
    "planted": "Class of a simulated member seen in this spectrum's place",
}  # fmt: skip


class FindTable:
    """One writer at a time; whoever reads sees whole files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            manifest = json.loads((folder / MANIFEST).read_bytes())
            if manifest["kind"] != KIND or manifest["version"] != VERSION:
                raise ValueError("of another version of the program")
            self.settings = LookSettings.from_json(manifest["settings"])
            self.weights = str(manifest["weights"])
            self.id = str(manifest["id"])
            self.sources = [str(source) for source in manifest["sources"]][:MOST_SOURCES]
            self._manifest: dict[str, Any] = manifest
        except FileNotFoundError as error:
            raise WorkbenchError(f"{folder} is not a table of spec-o3 find") from error
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise WorkbenchError(f"{folder / MANIFEST} cannot be used: {error}") from error

    @classmethod
    def made(cls, folder: Path, sources: Sequence[str], settings: LookSettings) -> FindTable:
        """A new table, or the one that is there with these sources added.

        Raises WorkbenchError where other weights or settings made it: its numbers would not agree.
        """
        _pyarrow()
        if (folder / MANIFEST).exists():
            table = cls(folder)
            if table.weights != weights_hash():
                raise WorkbenchError(
                    f"{folder} was made with other weights, those of version "
                    f"{table._manifest.get('program')}: use that version, or a new folder"
                )
            if table.settings != settings:
                raise WorkbenchError(
                    f"{folder} looks for other classes, or plants otherwise: leave these options "
                    "out, or use a new folder"
                )
            new = [source for source in sources if source not in table.sources]
            table._manifest["sources"] = table.sources = [*table.sources, *new]
            _write_manifest(folder, table._manifest)
            return table
        with write_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise WorkbenchError(f"{folder} is not empty and not a table of spec-o3 find")
        now = datetime.now(UTC).isoformat(timespec="seconds")
        manifest = {
            "kind": KIND, "version": VERSION, "program": program_version(), "made": now,
            "id": np.random.default_rng().bytes(8).hex(), "weights": weights_hash(),
            "settings": asdict(settings), "sources": list(sources),
        }  # fmt: skip
        _write_manifest(folder, manifest)
        return cls(folder)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """No other program writes meanwhile. Raises WorkbenchError where one does."""
        try:
            lock = SessionLock(self.folder)
        except SessionHeldError as error:
            raise WorkbenchError(
                f"another program searches into {self.folder}: {error.holder}. Wait, or stop it"
            ) from error
        try:
            yield
        finally:
            lock.release()

    def parts(self, name: str = "part") -> list[Path]:
        """Its Parquet files of spectra (`part`), or of what could not be read (`unread`)."""
        return sorted(self.folder.glob(f"{name}-??????.parquet"))

    def seen(self) -> DuplicateFilter:
        """Recognizes what has been looked at: rows of files, and whole files."""
        known = DuplicateFilter()
        long_files: dict[str, tuple[int, int]] = {}  # rows seen of each, and rows that it has
        for part in [*self.parts(), *self.parts("unread")]:
            for batch in _batches(part, ("path", "row", "rows")):
                known.find_new(zip(batch["path"], batch["row"], strict=True))
                whole = []
                for path, count in zip(batch["path"], batch["rows"], strict=True):
                    if count == 1:
                        whole.append((path, ANY_ROW))
                    else:
                        seen, most = long_files.get(path, (0, 0))
                        long_files[path] = seen + 1, max(most, count)
                known.find_new(whole)
        ended = (path for path, (seen, most) in long_files.items() if seen >= most > 0)
        known.find_new((path, ANY_ROW) for path in ended)
        return known

    def add(self, rows: Rows, unread: Sequence[tuple[str, int, str]]) -> None:
        """Write the rows, and what was not read, to files of their own. Raises OSError."""
        if unread:
            paths, numbers, reasons = (list(column) for column in zip(*unread, strict=True))
            # A whole file counts as one row, one row of a file as none: it has others.
            rows_of_file = [int(number == ANY_ROW) for number in numbers]
            columns = {"path": paths, "row": numbers, "rows": rows_of_file, "reason": reasons}
            self._write("unread", columns)
        if rows.get("path"):
            self._write("part", rows)

    def _write(self, name: str, columns: Mapping[str, Sequence[Any]]) -> None:
        before = self.parts(name)
        number = 1 + (int(before[-1].stem[-6:]) if before else 0)
        path = self.folder / f"{name}-{number:06d}.parquet"
        count = write_table(path, columns)
        entry = {"file": path.name, "rows": count, "sha256": file_hash(path)}
        append_to_log(self.folder / FILES, [entry])

    @property
    def own_ids(self) -> tuple[str, ...]:
        """Classes of the user's own task files."""
        return tuple(_own_task(text).id for text in self.settings.own_tasks)

    def own_task(self, task_id: str) -> Task | None:
        tasks = map(_own_task, self.settings.own_tasks)
        return next((task for task in tasks if task.id == task_id), None)

    def damaged(self) -> list[str]:
        """Names of files whose hash is not the one that was written, or that are gone."""
        written = dict(read_log(self.folder / FILES, _entry))
        return [
            name
            for name, sha256 in written.items()
            if not (self.folder / name).is_file() or file_hash(self.folder / name) != sha256
        ]

    @property
    def column_names(self) -> list[str]:
        """Those of the first part; of a table without rows, none."""
        _, pq = _pyarrow()
        parts = self.parts()
        with _errors_of(self.folder):
            return list(pq.read_schema(parts[0]).names) if parts else []

    def columns(self, names: Sequence[str]) -> dict[str, Any]:
        """Columns of all rows as arrays of numpy; of a class that no row has, NaN."""
        found: dict[str, list[Any]] = {name: [] for name in names}
        _, pq = _pyarrow()
        for part in self.parts():
            with _errors_of(part):
                table = _read(pq, part, names)
                for name in names:
                    if name in table.column_names:
                        found[name].append(table.column(name).to_numpy())
                    else:
                        found[name].append(np.full(table.num_rows, math.nan))
        return {
            name: np.concatenate(pieces) if pieces else np.empty(0)
            for name, pieces in found.items()
        }

    def rows(self, numbers: Any, names: Sequence[str]) -> dict[str, list[Any]]:
        """Some rows, by their numbers in `columns`, in the order asked for."""
        pa, pq = _pyarrow()
        order = np.argsort(numbers, kind="stable")
        wanted, start = np.asarray(numbers)[order], 0
        pieces = []
        for part in self.parts():
            with _errors_of(part):
                count = pq.read_metadata(part).num_rows
                inside = wanted[(wanted >= start) & (wanted < start + count)] - start
                if inside.size:
                    pieces.append(_read(pq, part, names).take(pa.array(inside)))
            start += count
        if not pieces:
            return {name: [] for name in names}
        found = pa.concat_tables(pieces, promote_options="default")
        found = found.take(pa.array(np.argsort(order)))
        none = [None] * len(order)
        return {
            name: found.column(name).to_pylist() if name in found.column_names else none
            for name in names
        }

    def unread(self) -> Iterator[tuple[str, int, str]]:
        for part in self.parts("unread"):
            for batch in _batches(part, ("path", "row", "reason")):
                yield from zip(batch["path"], batch["row"], batch["reason"], strict=True)


def _write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    with write_errors(folder):
        write_file(folder / MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False))


def _read(pq: Any, part: Path, names: Sequence[str]) -> Any:
    """Those of the columns that the part has."""
    there = pq.read_schema(part).names
    return _checked(pq.read_table(part, columns=[name for name in names if name in there]))


def _own_task(text: str) -> Task:
    return parse_task(text.encode(), "own task")


def write_table(path: Path, columns: Mapping[str, Sequence[Any]]) -> int:
    """Write a Parquet file, whole or not at all; the number of its rows. Raises OSError."""
    pa, pq = _pyarrow()
    fields, arrays = [], []
    for column, values in columns.items():
        fields.append(pa.field(column, _type(pa, column), metadata=_described(column)))
        arrays.append(pa.array(values, _type(pa, column), from_pandas=True))
    # astropy reserves so many letters for a text, and complains where it is not told.
    lengths = {
        f"table::len::{field.name}": str(max(map(len, columns[field.name]), default=0) or 1)
        for field in fields
        if pa.types.is_string(field.type)
    }
    table = pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata=lengths))
    with atomic_path(path) as part:
        pq.write_table(table, part, compression="zstd", compression_level=9)
    return int(table.num_rows)


def _entry(found: Any) -> tuple[str, str]:
    match found:
        case {"file": str(name), "sha256": str(sha256)} if PART.fullmatch(name):
            return name, sha256
    raise ValueError("not the name of a file and its hash")


def _batches(part: Path, names: Sequence[str]) -> Iterator[dict[str, list[Any]]]:
    _, pq = _pyarrow()
    with _errors_of(part), pq.ParquetFile(part) as file:
        for batch in file.iter_batches(PAGE, columns=list(names)):
            _checked(batch)
            yield {name: batch.column(name).to_pylist() for name in names}


def _checked(found: Any) -> Any:
    """The same rows, if they are as a search writes them: who edits a table may write anything."""
    pa, _ = _pyarrow()
    for name in found.schema.names:
        column, is_of_all = found.column(name), name in (*WHOLE, *TEXTS, *BOOLEANS)
        if column.type != _type(pa, name) or (is_of_all and column.null_count):
            raise ValueError(f"{name} is not what a search writes")
    return found


@contextmanager
def _errors_of(part: Path) -> Iterator[None]:
    """What pyarrow says of a damaged file becomes a sentence."""
    try:
        yield
    except (OSError, ValueError, KeyError) as error:
        raise WorkbenchError(
            f"{part} is damaged ({str(error)[:200]}): remove it and run the search again, which "
            "looks at its spectra once more"
        ) from error


def _pyarrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise WorkbenchError(NEEDS_PYARROW) from error


def _type(pa: Any, name: str) -> Any:
    if name in WHOLE:
        return pa.int64()
    if name in TEXTS:
        return pa.string()
    if name in BOOLEANS:
        return pa.bool_()
    return pa.float64() if name in DOUBLES or name.startswith("p_") else pa.float32()


def _described(name: str) -> dict[str, str]:
    unit, text = UNITS.get(name, ""), DESCRIBED.get(name, "")
    if name.startswith("p_"):
        text = f"p(YES) of the class {name[2:]} by the whole inspection, where there was one"
    if name.startswith("quick_"):
        text = f"Probability of the class {name[6:]} at a first look"
    return {key: value for key, value in (("unit", unit), ("description", text)) if value}
