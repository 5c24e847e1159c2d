"""An append-only file of JSON lines, which a crash may have left with half a line at its end."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, TypeVar

from agent.checked_toml import printable
from agent.errors import WorkbenchError
from agent.trajectory.append_lines import append_lines

MAX_LINE = 4_000_000

Entry = TypeVar("Entry")


def read_log(path: Path, entry_from: Callable[[object], Entry]) -> Iterator[Entry]:
    """The entries in order; an error names the line, and a truncated last line is skipped."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MAX_LINE + 1):
            number += 1
            if not line.strip():
                continue
            try:
                yield entry_from(json.loads(line))
            except (ValueError, RecursionError, WorkbenchError) as error:
                if not line.endswith(b"\n"):
                    return
                reason = printable(str(error), 160)
                raise WorkbenchError(f"{path}, line {number}: {reason}") from error


def append_to_log(path: Path, records: Sequence[object]) -> None:
    """Append the records and sync them to disk, all or none."""
    try:
        with path.open("ab+") as file:
            end = file.seek(0, os.SEEK_END)
            if end:
                file.seek(end - 1)
                if file.read(1) != b"\n":
                    _cut_last_line(file)
        append_lines(path, (json.dumps(record, ensure_ascii=False) for record in records))
    except OSError as error:
        raise WorkbenchError(f"cannot write {path}: {error.strerror or error}") from error


def _cut_last_line(file: IO[bytes]) -> None:
    """Drop the last line, which a crash left half written."""
    end = file.seek(0, os.SEEK_END)
    start = max(0, end - MAX_LINE)
    file.seek(start)
    file.truncate(start + file.read(end - start).rfind(b"\n") + 1)
