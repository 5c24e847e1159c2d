"""Rows out of the BINARY and BINARY2 streams of a VOTable, piece by piece."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence

from app.core.importing.errors import ImportFailed
from app.core.importing.formats.contents import Value
from app.core.importing.formats.votable_types import VOTableField

MAX_ROW = 16 * 1024 * 1024
"""Bytes."""


class BinaryRows:
    """Takes text of the stream in any pieces, gives rows of all columns as they are complete."""

    def __init__(self, fields: Sequence[VOTableField], *, with_nulls: bool) -> None:
        self._fields = fields
        self._flags = (len(fields) + 7) // 8 if with_nulls else 0
        self._text = ""
        self._bytes = bytearray()
        smallest = sum(4 if f.count is None else f.bytes_of(f.count) for f in fields)
        if self._flags + smallest == 0:
            raise ImportFailed("its BINARY rows have no size")

    def rows(self, text: str) -> Iterator[list[Value]]:
        self._take(text)
        at = 0
        while (found := self._row(at)) is not None:
            row, at = found
            yield row
        del self._bytes[:at]
        if len(self._bytes) > MAX_ROW:
            raise ImportFailed("one of its BINARY rows is larger than 16 MB")

    def end(self) -> None:
        self._take("=" * (-len(self._text) % 4))
        if self._bytes:
            raise ImportFailed("its BINARY data are cut short")

    def _take(self, text: str) -> None:
        self._text += "".join(text.split())
        whole = len(self._text) // 4 * 4
        try:
            self._bytes += base64.b64decode(self._text[:whole], validate=True)
        except (binascii.Error, ValueError) as error:
            raise ImportFailed("its BINARY data are damaged") from error
        self._text = self._text[whole:]

    def _row(self, at: int) -> tuple[list[Value], int] | None:
        """The row that begins there and where it ends; None while it is incomplete."""
        data, end = self._bytes, len(self._bytes)
        nulls = data[at : at + self._flags]
        at += self._flags
        row: list[Value] = []
        for number, field in enumerate(self._fields):
            count = field.count
            if count is None:
                if at + 4 > end:
                    return None
                count = int.from_bytes(data[at : at + 4], "big")
                at += 4
            size = field.bytes_of(count)
            if size > MAX_ROW:
                raise ImportFailed("its BINARY data are damaged: a cell of more than 16 MB")
            if at + size > end:
                return None
            is_null = bool(nulls) and bool(nulls[number // 8] & (0x80 >> number % 8))
            if is_null or not field.is_single or (not size and field.kind != "str"):
                row.append(None)
            else:
                row.append(field.from_bytes(bytes(data[at : at + size])))
            at += size
        return row, at
