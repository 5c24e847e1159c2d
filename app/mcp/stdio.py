"""Serving on standard input and output, with lines of bounded length."""

from __future__ import annotations

import io
import os
import sys

from mcp.server import MCPServer

MAX_LINE = 1_000_000
"""Bytes of one message; ours need a thousandth of that."""


class BoundedLines(io.RawIOBase):
    """Reads a file descriptor; of a longer line only the beginning is passed on.

    What is left of it is no valid message and is answered as such.
    """

    def __init__(self, fd: int, max_line: int = MAX_LINE) -> None:
        self._fd = fd
        self._max_line = max_line
        self._length = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview | bytearray, /) -> int:  # type: ignore[override]
        while data := os.read(self._fd, len(buffer)):
            kept = self._bounded(data)
            if kept:
                buffer[: len(kept)] = kept
                return len(kept)
        return 0

    def _bounded(self, data: bytes) -> bytes:
        kept = []
        for piece in data.splitlines(keepends=True):
            room = max(0, self._max_line - self._length)
            self._length += len(piece)
            kept.append(piece[:room])
            if piece.endswith(b"\n"):
                if len(piece) > room:
                    kept.append(b"\n")
                self._length = 0
        return b"".join(kept)


def serve_stdio(server: MCPServer[None]) -> None:
    """Serve until standard input ends."""
    # The SDK reads what it is given here as it is, since it is no plain file descriptor.
    sys.stdin = io.TextIOWrapper(io.BufferedReader(BoundedLines(0)), encoding="utf-8")
    server.run("stdio")
