"""The record of what was fetched into a folder: an ECSV table beside the files.

It grows by a line when a file has landed. A line that a crash cut short is dropped.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from agent.hashing import file_hash
from app.core.errors import SessionError, disk_errors

NAME = "fetched.ecsv"
MAX_BYTES = 256 * 2**20
_NAME = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9_.+-]{0,200}")


@dataclass(frozen=True, kw_only=True)
class FetchedFileRecord:
    asked: str
    """Tells the question of one row from all others."""
    found: int
    """How many files answer that question."""
    archive: str
    release: str
    id: str
    file: str
    """Name in the folder."""
    url: str
    bytes: int
    sha256: str
    fetched_at: str

    @property
    def key(self) -> tuple[str, str, str]:
        return self.archive, self.release, self.id


COLUMNS = tuple(each.name for each in fields(FetchedFileRecord))
NUMBERS = ("found", "bytes")


class Journal:
    """The records of one folder; the last of a file is the one that counts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / NAME
        self._by_file: dict[str, FetchedFileRecord] = {}
        self._by_question: dict[str, dict[str, FetchedFileRecord]] = {}
        for record in self._read():
            self._keep(record)

    def of_question(self, asked: str) -> list[FetchedFileRecord]:
        """The files that answer a question, if all of them are there unchanged."""
        records = [*self._by_question.get(asked, {}).values()]
        is_whole = bool(records) and len(records) >= records[0].found
        return records if is_whole and all(map(self.is_there, records)) else []

    def of_file(self, name: str) -> FetchedFileRecord | None:
        return self._by_file.get(name)

    def is_there(self, record: FetchedFileRecord) -> bool:
        """Whether the file is in the folder as it was fetched."""
        path = self.folder / record.file
        return self._by_file.get(record.file) == record and stored_hash(path) == record.sha256

    def add(self, record: FetchedFileRecord) -> None:
        """Append a line and wait until it is on disk. Raises SessionError."""
        with disk_errors(self.path):
            is_new = not self.path.exists() or self.path.stat().st_size == 0
            with self.path.open("ab") as file:
                file.write((head() if is_new else b"") + _line(record))
                file.flush()
                os.fsync(file.fileno())
        self._keep(record)

    def _keep(self, record: FetchedFileRecord) -> None:
        self._by_file[record.file] = record
        self._by_question.setdefault(record.asked, {})[record.file] = record

    def _read(self) -> Iterator[FetchedFileRecord]:
        with disk_errors(self.path):
            if not self.path.is_file():
                return
            if self.path.stat().st_size > MAX_BYTES:
                raise SessionError(f"{self.path} is too large for a record of fetched files")
            content = self.path.read_bytes()
            whole = content[: content.rfind(b"\n") + 1]
            if len(whole) < len(content):
                os.truncate(self.path, len(whole))
        if whole and not whole.startswith(head()):
            raise SessionError(
                f"{self.path} is not a record of fetched files: choose another folder"
            )
        text = whole[len(head()) :].decode("utf-8", "replace").replace("\0", "")
        for cells in csv.reader(io.StringIO(text, newline="")):
            if (record := _record(cells)) is not None:
                yield record


def head() -> bytes:
    types = "".join(
        f"# - {{name: {name}, datatype: {'int64' if name in NUMBERS else 'string'}}}\n"
        for name in COLUMNS
    )
    start = f"# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n{types}# schema: astropy-2.0\n"
    return (start + ",".join(COLUMNS) + "\n").encode()


def _line(record: FetchedFileRecord) -> bytes:
    sink = io.StringIO()
    csv.writer(sink, lineterminator="\n").writerow(astuple(record))
    return sink.getvalue().encode("utf-8", "replace")


def _record(cells: list[str]) -> FetchedFileRecord | None:
    """None for a line that is damaged, or names a file elsewhere."""
    if len(cells) != len(COLUMNS):
        return None
    given = dict(zip(COLUMNS, cells, strict=True))
    if not all(given[name].isdecimal() and len(given[name]) < 16 for name in NUMBERS):
        return None
    if not _NAME.fullmatch(given["file"]):
        return None
    texts = {name: text for name, text in given.items() if name not in NUMBERS}
    return FetchedFileRecord(found=int(given["found"]), bytes=int(given["bytes"]), **texts)


def stored_hash(path: Path) -> str:
    """SHA-256 of a regular file; empty if there is none."""
    try:
        if path.is_symlink() or not path.is_file():
            return ""
        return file_hash(path)
    except OSError:
        return ""
