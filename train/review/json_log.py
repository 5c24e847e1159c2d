"""An append-only file of JSON lines, which a crash may have left with half a line at its end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from agent.checked_toml import printable
from agent.errors import WorkbenchError
from agent.trajectory.append_lines import append_lines, drop_half_line

MAX_LINE = 16_000_000
"""Bytes."""

Entry = TypeVar("Entry")


def read_log(path: Path, entry_from: Callable[[object], Entry]) -> Iterator[Entry]:
    """The entries in order; an error names the line, and a truncated last line is skipped."""
    return read_lines(path, lambda line: entry_from(json.loads(line)))


def read_lines(path: Path, entry_from: Callable[[bytes], Entry]) -> Iterator[Entry]:
    """As `read_log`, of entries that read a line themselves."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MAX_LINE + 1):
            number += 1
            if not line.strip():
                continue
            if len(line) > MAX_LINE:
                raise WorkbenchError(f"{path}, line {number}: longer than {MAX_LINE} bytes")
            try:
                yield entry_from(line)
            except (ValueError, RecursionError, WorkbenchError) as error:
                if not line.endswith(b"\n"):
                    return
                reason = printable(str(error), 160)
                raise WorkbenchError(f"{path}, line {number}: {reason}") from error


def append_to_log(path: Path, records: Sequence[object]) -> None:
    """Append the records and sync them to disk, all or none."""
    append_to_lines(path, map(log_line, records))


def append_to_lines(path: Path, lines: Iterable[str]) -> None:
    """As `append_to_log`, of lines of JSON."""
    try:
        drop_half_line(path, MAX_LINE, _is_json)
        append_lines(path, lines)
    except OSError as error:
        raise WorkbenchError(f"cannot write {path}: {error.strerror or error}") from error


def log_line(record: object) -> str:
    """Raises WorkbenchError if it is so long that it could not be read again."""
    line = json.dumps(record, ensure_ascii=False)
    if len(line.encode()) >= MAX_LINE:
        raise WorkbenchError(f"this is longer than {MAX_LINE} bytes")
    return line


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
