"""Files of lines of JSON that only grow; a crash may have left half a line at the end."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import TypeVar

from agent.checked_toml import printable
from agent.errors import WorkbenchError, write_errors

MAX_LINE = 16_000_000  # bytes

Entry = TypeVar("Entry")


def read_log(path: Path, entry_from: Callable[[object], Entry]) -> Iterator[Entry]:
    """The entries in order; an error names the line, and a truncated last line is skipped."""
    return read_lines(path, lambda line: entry_from(json.loads(line)))


def read_lines(
    path: Path, entry_from: Callable[[bytes], Entry], longest: int = MAX_LINE
) -> Iterator[Entry]:
    """As `read_log`, of entries that read a line themselves."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        number = 0
        while line := file.readline(longest + 1):
            number += 1
            if not line.strip():
                continue
            if len(line) > longest:
                raise WorkbenchError(f"{path}, line {number}: longer than {longest} bytes")
            try:
                yield entry_from(line)
            except (ValueError, RecursionError, WorkbenchError) as error:
                if not line.endswith(b"\n"):
                    return
                reason = printable(str(error), 160)
                raise WorkbenchError(f"{path}, line {number}: {reason}") from error


def append_to_log(path: Path, records: Sequence[object]) -> None:
    """Append the records and sync them to disk, all or none; nobody else may be writing."""
    append_to_lines(path, map(log_line, records))


def append_to_lines(path: Path, lines: Iterable[str]) -> None:
    """As `append_to_log`, of lines of JSON."""
    with write_errors(path):
        drop_half_line(path)
        append_lines(path, lines)


def log_line(record: object) -> str:
    """Raises WorkbenchError if it is so long that it could not be read again."""
    line = json.dumps(record, ensure_ascii=False)
    if len(line.encode()) >= MAX_LINE:
        raise WorkbenchError(f"this is longer than {MAX_LINE} bytes")
    return line


def append_lines(path: Path, lines: Iterable[str]) -> int:
    """Append the lines and return their number. After an error the file is as it was before.

    Raises OSError. A last line without an end, as of a crash, does not run into the first one.
    """
    count = 0
    with FileIO(path, "ab") as file:  # unbuffered: a buffer would be written again when it closes
        end = file.seek(0, os.SEEK_END) if file.seekable() else None
        try:
            if end and not _ends_a_line(path):
                _write(file, b"\n")
            for line in lines:
                _write(file, line.encode() + b"\n")
                count += 1
            if end is not None:
                os.fsync(file.fileno())
        except BaseException:
            if end is not None:
                with suppress(OSError):
                    file.truncate(end)
            raise
    return count


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def drop_half_line(
    path: Path, longest: int = MAX_LINE, is_whole: Callable[[bytes], bool] = _is_json
) -> None:
    """Drop a last line that a crash left half written; one that lacks only its end stays.

    Raises OSError. What somebody else is writing would look like the half line of a crash.
    """
    if not path.is_file() or not path.stat().st_size or _ends_a_line(path):
        return
    with path.open("rb+") as file:
        start = max(0, file.seek(0, os.SEEK_END) - longest)
        file.seek(start)
        tail = file.read(longest)
        if not is_whole(tail.rpartition(b"\n")[2]):
            file.truncate(start + tail.rfind(b"\n") + 1)


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _write(file: FileIO, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]
