"""A table on its way through a temporary file: FITS, XML and the like begin with what only the
last row tells, the type and width of each column.

The file is ours alone and has no name. It holds plain arrays; the places of them are in memory.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, TracebackType
from typing import Any, BinaryIO, Literal, Self

import numpy as np
from numpy.typing import NDArray

from app.core.exporting.columns import Kind
from app.core.exporting.escapes import is_fits_text, is_xml_text

WHOLE_LOW, WHOLE_HIGH = -(2**63), 2**63 - 1
EXACT = 2**53
"""Whole numbers up to this are exact as floating point."""

_BlockKind = Literal["none", "flag", "whole", "real", "text"]


@dataclass
class Stats:
    """What is known of a column once all pages are in."""

    kinds: set[str]
    has_null: bool = False
    low: int = 0
    high: int = 0
    is_fits_text: bool = True
    is_xml_text: bool = True
    is_ascii: bool = True
    longest: int = 0
    """Of its texts, in bytes of UTF-8."""
    most_characters: int = 0
    all_bytes: int = 0

    def kind(self, wanted: Kind | None) -> Kind:
        """`wanted` where it holds every value exactly, else the narrowest that does."""
        kinds = self.kinds - {"none"}
        if not kinds:
            return wanted or "text"
        if wanted == "text" or (wanted == "real" and kinds == {"whole"} and self._is_exact):
            return wanted
        if kinds == {"flag"}:
            return "flag"
        if kinds == {"whole"}:
            return "whole" if self.low > WHOLE_LOW or not self.has_null else "text"
        if kinds == {"real"}:
            return "real"
        return "real" if kinds == {"whole", "real"} and self._is_exact else "text"

    def learn_numbers(self, block: ColumnPage) -> None:
        if block.numbers is not None:
            self.low = min(self.low, int(block.numbers.min()))
            self.high = max(self.high, int(block.numbers.max()))

    def learn_texts(self, texts: Sequence[str], joined: str, longest: int, every: int) -> None:
        self.longest = max(self.longest, longest)
        characters = longest if joined.isascii() else max(map(len, texts))
        self.most_characters = max(self.most_characters, characters)
        self.all_bytes += every
        self.is_ascii = self.is_ascii and joined.isascii()
        self.is_fits_text = self.is_fits_text and is_fits_text(texts, joined)
        self.is_xml_text = self.is_xml_text and is_xml_text(texts, joined)

    @property
    def _is_exact(self) -> bool:
        return max(-self.low, self.high) <= EXACT


@dataclass(frozen=True)
class ColumnPage:
    """The values of one column on one page."""

    kind: _BlockKind
    rows: int
    nulls: NDArray[np.bool_] | None = None
    numbers: NDArray[Any] | None = None
    lengths: NDArray[np.int32] | None = None
    blob: bytes = b""

    def is_null(self) -> NDArray[np.bool_]:
        if self.kind == "none":
            return np.ones(self.rows, dtype=np.bool_)
        return np.zeros(self.rows, dtype=np.bool_) if self.nulls is None else self.nulls

    def as_numbers(self, dtype: str) -> NDArray[Any]:
        """As that type; anything where the value is null."""
        if self.numbers is None:
            return np.zeros(self.rows, dtype=dtype)
        return self.numbers.astype(dtype)

    def as_list(self) -> list[Any]:
        """As they came, but for text that was made of what had no kind of its own."""
        if self.kind == "none":
            return [None] * self.rows
        values = self._texts() if self.numbers is None else self.numbers.tolist()
        if self.nulls is None:
            return values
        return [
            None if none else value for value, none in zip(values, self.nulls.tolist(), strict=True)
        ]

    def as_texts(self) -> list[str | None]:
        return [None if value is None else text_of(value) for value in self.as_list()]

    def _texts(self) -> list[Any]:
        assert self.lengths is not None
        ends = np.cumsum(self.lengths).tolist()
        starts = [0, *ends[:-1]]
        if self.blob.isascii():
            text = self.blob.decode("ascii")
            return [text[start:end] for start, end in zip(starts, ends, strict=True)]
        return [
            self.blob[start:end].decode("utf-8", "surrogatepass")
            for start, end in zip(starts, ends, strict=True)
        ]


@dataclass(frozen=True)
class _Place:
    kind: _BlockKind
    rows: int
    offset: int
    numbers: str
    has_nulls: bool
    blob: int


class ColumnBuffer:
    """Fill it with `add`, then read it as often as needed."""

    def __init__(self, folder: Path) -> None:
        self.stats: list[Stats] = []
        self.rows = 0
        self._pages: list[list[_Place]] = []
        self._file: BinaryIO = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - ours to close

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, page: Sequence[Sequence[Any]]) -> None:
        while len(self.stats) < len(page):
            self.stats.append(Stats(kinds=set()))
        places = []
        for cells, stats in zip(page, self.stats, strict=True):
            block = _block(cells, stats)
            stats.kinds.add(block.kind)
            places.append(self._store(block))
        self._pages.append(places)
        self.rows += len(page[0])

    def pages(self) -> Iterator[list[ColumnPage]]:
        for places in self._pages:
            yield [self._load(place) for place in places]

    def column(self, number: int) -> Iterator[ColumnPage]:
        for places in self._pages:
            yield self._load(places[number])

    def _store(self, block: ColumnPage) -> _Place:
        offset = self._file.tell()
        dtype = "" if block.numbers is None else block.numbers.dtype.str
        for array in (block.numbers, block.nulls, block.lengths):
            if array is not None:
                self._file.write(array.tobytes())
        self._file.write(block.blob)
        has_nulls = block.nulls is not None
        return _Place(block.kind, block.rows, offset, dtype, has_nulls, len(block.blob))

    def _load(self, place: _Place) -> ColumnPage:
        if place.kind == "none":
            return ColumnPage("none", place.rows)
        self._file.seek(place.offset)
        numbers = self._array(place.numbers, place.rows) if place.numbers else None
        nulls = self._array("?", place.rows) if place.has_nulls else None
        lengths = self._array("<i4", place.rows) if place.kind == "text" else None
        return ColumnPage(
            place.kind, place.rows, nulls, numbers, lengths, self._file.read(place.blob)
        )

    def _array(self, dtype: str, rows: int) -> NDArray[Any]:
        return np.frombuffer(self._file.read(np.dtype(dtype).itemsize * rows), dtype=dtype)


def text_of(value: object) -> str:
    """A value whose column has no narrower kind."""
    if isinstance(value, str):
        return value
    return repr(value) if isinstance(value, bool | int | float) else json.dumps(value, default=str)


def _block(cells: Sequence[Any], stats: Stats) -> ColumnPage:
    """The values as arrays; `stats` hears of them."""
    types = set(map(type, cells))
    nulls = None
    if NoneType in types:
        types.discard(NoneType)
        stats.has_null = True
        if not types:
            return ColumnPage("none", len(cells))
        nulls = np.array([cell is None for cell in cells])
    if types == {float}:
        return _numbers("real", cells, nulls, np.nan, "<f8")
    if types == {bool}:
        return _numbers("flag", cells, nulls, False, "?")
    if types == {int} and all(cell is None or WHOLE_LOW <= cell <= WHOLE_HIGH for cell in cells):
        block = _numbers("whole", cells, nulls, 0, "<i8")
        stats.learn_numbers(block)
        return block
    if types == {int, float} and all(abs(each) <= EXACT for each in cells if type(each) is int):
        return _numbers("real", cells, nulls, np.nan, "<f8")
    if types != {str}:
        cells = [None if cell is None else text_of(cell) for cell in cells]
    return _text_block(cells, nulls, stats)


def _numbers(
    kind: _BlockKind,
    cells: Sequence[Any],
    nulls: NDArray[np.bool_] | None,
    filler: float,
    dtype: str,
) -> ColumnPage:
    given = cells if nulls is None else [filler if cell is None else cell for cell in cells]
    return ColumnPage(kind, len(cells), nulls, np.array(given, dtype=dtype))


def _text_block(cells: Sequence[Any], nulls: NDArray[np.bool_] | None, stats: Stats) -> ColumnPage:
    texts = cells if nulls is None else ["" if cell is None else cell for cell in cells]
    joined = "".join(texts)
    if joined.isascii():
        lengths, blob = map(len, texts), joined.encode("ascii")
    else:
        parts = [text.encode("utf-8", "surrogatepass") for text in texts]
        lengths, blob = map(len, parts), b"".join(parts)
    sizes = np.fromiter(lengths, "<i4", len(texts))
    stats.learn_texts(texts, joined, int(sizes.max()), len(blob))
    return ColumnPage("text", len(texts), nulls, None, sizes, blob)
