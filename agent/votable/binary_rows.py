"""Decodes the BINARY and BINARY2 streams of a VOTable piece by piece."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence

from agent.votable.fields import VOTableError, VOTableField

MAX_ROW_BYTES = 16 * 1024 * 1024
MAX_CELLS_PER_BYTE = 64

# The text of a TD, the bytes of a BINARY cell, or None where BINARY2 flags the cell as null.
Cell = str | bytes | None


class BinaryRows:
    """Takes the base64 text in pieces of any size and yields each row once it is complete."""

    def __init__(self, fields: Sequence[VOTableField], *, with_nulls: bool) -> None:
        for field in fields:
            field.check()
        self._fields = [(field, field.count) for field in fields]
        self._null_bytes = (len(fields) + 7) // 8 if with_nulls else 0
        self._text = ""
        self._bytes = bytearray()
        smallest = sum(4 if count is None else f.bytes_of(count) for f, count in self._fields)
        # An endless number of rows would fit into no bytes at all, and lists of many cells in few.
        if self._null_bytes + smallest == 0:
            raise VOTableError("its BINARY rows have no size")
        if len(fields) > MAX_CELLS_PER_BYTE * (self._null_bytes + smallest):
            raise VOTableError("its BINARY rows have too many columns without size")

    def rows(self, text: str) -> Iterator[list[Cell]]:
        self._decode(text)
        offset = 0
        while (complete := self._row(offset)) is not None:
            row, offset = complete
            yield row
        del self._bytes[:offset]
        if len(self._bytes) > MAX_ROW_BYTES:
            raise VOTableError("one of its BINARY rows is larger than 16 MB")

    def end(self) -> None:
        """Raises VOTableError if the stream ends within a row."""
        self._decode("=" * (-len(self._text) % 4))
        if self._bytes:
            raise VOTableError("its BINARY data are cut short")

    def _decode(self, text: str) -> None:
        self._text += "".join(text.split())
        whole = len(self._text) // 4 * 4
        try:
            self._bytes += base64.b64decode(self._text[:whole], validate=True)
        except (binascii.Error, ValueError) as error:
            raise VOTableError("its BINARY data are damaged") from error
        self._text = self._text[whole:]

    def _row(self, start: int) -> tuple[list[Cell], int] | None:
        """The row at this offset and where it ends; None while it is incomplete."""
        data = self._bytes
        end = start + self._null_bytes
        nulls = data[start:end]
        spans: list[slice] = []
        for field, count in self._fields:
            if count is None:
                if end + 4 > len(data):
                    return None
                count = int.from_bytes(data[end : end + 4], "big")
                end += 4
            size = field.bytes_of(count)
            if size > MAX_ROW_BYTES:
                raise VOTableError("its BINARY data are damaged: a cell of more than 16 MB")
            spans.append(slice(end, end + size))
            end += size
            if end > len(data):
                return None
        # Bytes are copied only now: a large row is looked at many times before it is complete.
        return [
            None if nulls and nulls[n // 8] & (0x80 >> n % 8) else bytes(data[span])
            for n, span in enumerate(spans)
        ], end
