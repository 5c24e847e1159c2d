"""The features of a session's spectra in a file beside it, `night.speco3-similar`.

It holds nothing that cannot be read again from the spectra: if it is missing, damaged or of another
session, it is made anew. Records are only appended, so that a program that was killed loses at most
the last one.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agent.errors import ReadError
from agent.spectra.fits.source_file import open_regular
from app.core.similar.features import SIZE, VERSION

SUFFIX = "-similar"
MAGIC = b"SPECO3SM"
HEADER = struct.Struct("<8sHH52s")
RECORD = np.dtype([("id", "<i8"), ("key", "<u8"), ("vector", "i1", (SIZE,))])
AT_ONCE = 4096
"""Records read at once."""

Records = NDArray[np.void]


def header(session_id: str) -> bytes:
    return HEADER.pack(MAGIC, VERSION, SIZE, session_id.encode(errors="replace")[:52])


def read_records(path: Path, session_id: str, most: int) -> Iterator[Records]:
    """The first `most` records, some at a time; none of a file that is not this session's."""
    try:
        stream, _ = open_regular(path)
    except (OSError, ValueError, ReadError):
        return
    with stream:
        if stream.read(HEADER.size) != header(session_id):
            return
        while most > 0:
            content = stream.read(min(AT_ONCE, most) * RECORD.itemsize)
            whole = len(content) // RECORD.itemsize
            if not whole:
                return
            most -= whole
            yield np.frombuffer(content, RECORD, whole)


def append_records(path: Path, session_id: str, records: Records) -> bool:
    """Whether the records could be written; a file that we did not make is left alone."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        if path.exists() and not path.is_file():
            return False
        with os.fdopen(os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666), "r+b") as file:
            found, first = file.read(HEADER.size), header(session_id)
            if found != first:
                if found and not found.startswith(MAGIC):
                    return False
                file.seek(0)
                file.truncate()
                file.write(first)
            size = file.seek(0, os.SEEK_END) - HEADER.size
            file.seek(HEADER.size + size // RECORD.itemsize * RECORD.itemsize)
            file.truncate()
            file.write(records.tobytes())
    except OSError:
        return False
    return True
