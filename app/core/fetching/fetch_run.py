"""Fetches the spectra of many rows into a folder, one after the other; it can be run again."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path

from agent.atomic_file import write_file
from agent.hashing import bytes_hash, file_hash, text_hash
from app.core.errors import SessionError, disk_errors
from app.core.fetching.rows import FetchRow
from app.core.progress import EstimatedProgress, ShouldStop, never, silent
from app.services.archives.archive import Archive, Found, NotTold
from app.services.archives.files import checked, suffix_of
from app.services.web.client import WebClient
from app.services.web.errors import Busy, ServiceError, Stopped, TooLong, Unreachable

RADIUS_ARCSEC = 2.0
_TEMPORARY = re.compile(r"\.[A-Za-z0-9_.+-]+\.(fits|vot|txt)(\.gz)?\.[a-z0-9_]{8}\.part")
MAX_EACH = 50  # files of one row, where all that are found are fetched
SILENT_IN_A_ROW, FAILED_IN_A_ROW = 5, 20
"""After so many rows without an answer, or with a useless one, nothing more is asked."""

NAME = "fetched.ecsv"
MAX_BYTES = 256 * 2**20
_NAME = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9_.+-]{0,200}")


@dataclass(frozen=True)
class FetchedRow:
    row: FetchRow
    record: FetchedFileRecord


@dataclass(frozen=True)
class FailedRow:
    row: FetchRow
    reason: str


@dataclass
class FetchReport:
    fetched: list[FetchedRow] = field(default_factory=list)
    failed: list[FailedRow] = field(default_factory=list)
    were_there: int = 0  # how many of the files had been fetched before
    is_stopped: bool = False
    gave_up: str = ""  # why the archive was not asked about the rest
    left: int = 0  # rows about which it was not asked


class FetchRun:
    """`folder` is made; `take_all` fetches every spectrum that is found for a row."""

    def __init__(
        self,
        archive: Archive,
        folder: Path,
        client: WebClient,
        *,
        radius_arcsec: float = RADIUS_ARCSEC,
        take_all: bool = False,
    ) -> None:
        self._archive = archive
        self._folder = folder
        self._client = client
        self._radius_arcsec = radius_arcsec
        self._take_all = take_all
        with disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            for each in folder.glob(".*.part"):  # of a run that was killed while it wrote
                if _TEMPORARY.fullmatch(each.name):
                    each.unlink(missing_ok=True)
        self._journal = Journal(folder)

    def run(
        self,
        rows: Sequence[FetchRow],
        *,
        progress: EstimatedProgress = silent,
        should_stop: ShouldStop = never,
    ) -> FetchReport:
        """Fetch what is not there yet. Raises SessionError if the folder cannot be written."""
        report = FetchReport()
        silent_rows = failed_rows = 0
        for number, row in enumerate(rows):
            progress(number, len(rows))
            try:
                self._fetch(row, report, should_stop)
                silent_rows = failed_rows = 0
            except NotTold as error:
                report.failed.append(FailedRow(row, str(error)))
            except ServiceError as error:
                report.failed.append(FailedRow(row, str(error)))
                is_silent = isinstance(error, Unreachable | Busy | TooLong)
                silent_rows = silent_rows + 1 if is_silent else 0
                failed_rows += 1
                if silent_rows >= SILENT_IN_A_ROW or failed_rows >= FAILED_IN_A_ROW:
                    report.gave_up, report.left = str(error), len(rows) - number - 1
                    break
            except (Stopped, KeyboardInterrupt):
                report.is_stopped, report.left = True, len(rows) - number
                break
        else:
            progress(len(rows), len(rows))
        return report

    def _fetch(self, row: FetchRow, report: FetchReport, should_stop: ShouldStop) -> None:
        if should_stop():
            raise Stopped
        asked = self._question(row)
        if records := self._journal.of_question(asked):
            report.fetched += [FetchedRow(row, record) for record in records]
            report.were_there += len(records)
            return
        found = self._archive.find(row.wanted, self._radius_arcsec, self._client, should_stop)
        found = found[: MAX_EACH if self._take_all else 1]
        for each in found:
            record = self._get(each, asked, len(found), should_stop)
            report.fetched.append(FetchedRow(row, record))

    def _get(
        self, found: Found, asked: str, count: int, should_stop: ShouldStop
    ) -> FetchedFileRecord:
        got = self._archive.get(found, self._client, should_stop)
        found = replace(found, release=got.release or found.release)
        checked(got.content, found, self._radius_arcsec)
        sha256 = bytes_hash(got.content)
        name = self._free_name(found, suffix_of(got.content), sha256)
        record = FetchedFileRecord(
            asked=asked,
            found=count,
            archive=self._archive.id,
            release=found.release,
            id=found.id,
            file=name,
            url=got.url,
            bytes=len(got.content),
            sha256=sha256,
            fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        if stored_hash(self._folder / name) != sha256:
            with disk_errors(self._folder / name):
                write_file(self._folder / name, got.content)
        self._journal.add(record)
        return record

    def _free_name(self, found: Found, suffix: str, sha256: str) -> str:
        """A name in the folder that no other spectrum and no file of the user's has."""
        for number in range(1, 1000):
            name = f"{found.stem}{f'-{number}' if number > 1 else ''}{suffix}"
            path, known = self._folder / name, self._journal.of_file(name)
            is_free = not path.exists() and not path.is_symlink()
            ours = self._archive.id, found.release, found.id
            is_ours = known is not None and (known.archive, known.release, known.id) == ours
            if is_ours or (known is None and (is_free or stored_hash(path) == sha256)):
                return name
        raise NotTold(f"the folder has a thousand files called {found.stem}")

    def _question(self, row: FetchRow) -> str:
        """What tells one question from another; the place of the row in its list does not."""
        wanted, archive = row.wanted, self._archive
        told = [archive.id, getattr(archive, "release", ""), getattr(archive, "base", "")]
        told += [sorted(wanted.ids.items()), wanted.ra, wanted.dec, wanted.object_id]
        told += [self._radius_arcsec, self._take_all]
        return text_hash(json.dumps(told))[:24]


# The record of what was fetched into a folder: an ECSV table beside the files. It grows by a line
# when a file has landed. A line that a crash cut short is dropped.
@dataclass(frozen=True, kw_only=True)
class FetchedFileRecord:
    asked: str  # tells the question of one row from all others
    found: int  # how many files answer that question
    archive: str
    release: str
    id: str
    file: str  # name in the folder
    url: str
    bytes: int
    sha256: str
    fetched_at: str


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
