"""Adds lines to a file, all of them or none."""

from __future__ import annotations

import os
from collections.abc import Iterable
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


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _write(file: FileIO, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]
