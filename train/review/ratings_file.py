"""Files of ratings and choices: JSON lines that only grow; what is read is checked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from agent.errors import WorkbenchError, read_errors
from agent.json_lines import append_lines, drop_half_line, read_lines
from agent.ratings.records import Choice, Rating, record_from, to_json

SUFFIX = ".ratings.jsonl"
MAX_LINE = 40_000
MAX_RECORDS = 1_000_000
LOCK_TIMEOUT_S = 5.0


def read_records(path: Path) -> Iterator[Rating | Choice]:
    """The records in order; none if there is no file. An error names the line.

    A last line without its end is skipped: the program that wrote it was killed.
    """
    with read_errors(path):
        for number, record in enumerate(read_lines(path, _record, MAX_LINE)):
            if number == MAX_RECORDS:
                raise WorkbenchError(f"{path} has more than {MAX_RECORDS:,} lines: split it")
            yield record


def add_records(path: Path, records: Iterable[Rating | Choice]) -> None:
    """Append records and sync them to disk; a half-written last line is dropped first."""
    lines = (json.dumps(to_json(record), ensure_ascii=False) for record in records)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Or what somebody else is writing would look like the half line of a crash.
        with FileLock(path.with_name(f".{path.name}.lock"), timeout=LOCK_TIMEOUT_S):
            drop_half_line(path, MAX_LINE, _is_record)
            append_lines(path, lines)
    except Timeout:
        raise WorkbenchError(
            f"cannot write {path}: another program has been writing to it for "
            f"{LOCK_TIMEOUT_S:.0f} s. Try again"
        ) from None
    except OSError as error:
        raise WorkbenchError(f"cannot write {path}: {error.strerror or error}") from error


def ratings_beside(path: Path) -> Path:
    """Where the ratings of a file of trajectories are kept by default."""
    return path.with_name(path.name.removesuffix(".jsonl") + SUFFIX)


def _record(line: bytes) -> Rating | Choice:
    return record_from(json.loads(line))


def _is_record(line: bytes) -> bool:
    """Whether a last line without an end is whole, as an editor may leave it."""
    try:
        _record(line)
    except (ValueError, RecursionError, WorkbenchError):
        return False
    return True
