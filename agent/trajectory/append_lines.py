"""Adds lines to a file, all of them or none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from io import FileIO
from pathlib import Path


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


def drop_half_line(path: Path, longest: int, is_whole: Callable[[bytes], bool]) -> None:
    """Drop a last line that a crash left half written; one that lacks only its end stays.

    Raises OSError.
    """
    if not path.is_file():
        return
    with path.open("rb+") as file:
        end = file.seek(0, os.SEEK_END)
        start = max(0, end - longest)
        file.seek(start)
        tail = file.read(end - start)
        if tail and not tail.endswith(b"\n") and not is_whole(tail.rpartition(b"\n")[2]):
            file.truncate(start + tail.rfind(b"\n") + 1)


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _write(file: FileIO, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]
