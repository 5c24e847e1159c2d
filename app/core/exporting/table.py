"""A complete, buffered table, the input of the format writers.

It is kept in a temporary file before it is written: FITS, VOTable and other formats start with the
type and width of each column, which are known only after the last row. The unnamed file holds plain
arrays; their offsets are kept in memory.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import NoneType
from typing import Any, BinaryIO, Literal, Self

import numpy as np
from numpy.typing import NDArray

from app.core.exporting.escapes import is_fits_text, is_xml_text

WHOLE_LOW, WHOLE_HIGH = -(2**63), 2**63 - 1
EXACT = 2**53  # integers up to this are exact as doubles

_BlockKind = Literal["none", "flag", "whole", "real", "text"]
_NUMBERS: dict[_BlockKind, tuple[float, str]] = {
    "real": (math.nan, "<f8"),
    "flag": (False, "?"),
    "whole": (0, "<i8"),
}
"""What stands for no value, and the type of the numbers."""

Kind = Literal["text", "whole", "real", "flag"]


@dataclass(frozen=True)
class TypedColumn:
    """A column with the kind and statistics of its values."""

    spec: Column
    kind: Kind
    stats: ColumnStats

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def is_escaped_in_xml(self) -> bool:
        return self.kind == "text" and not self.stats.is_xml_text


@dataclass
class ColumnStats:
    """Statistics of a column, complete after the last page."""

    kinds: set[str]
    has_null: bool = False
    low: int = 0
    high: int = 0
    is_fits_text: bool = True
    is_xml_text: bool = True
    is_ascii: bool = True
    longest: int = 0  # longest text in UTF-8 bytes
    most_characters: int = 0

    def kind(self, wanted: Kind | None) -> Kind:
        """`wanted` if it represents every value exactly, else the narrowest kind that does."""
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

    def add_texts(self, texts: Sequence[str], joined: str, longest: int) -> None:
        self.longest = max(self.longest, longest)
        characters = longest if joined.isascii() else max(map(len, texts))
        self.most_characters = max(self.most_characters, characters)
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
        """The values as that type; null values are arbitrary."""
        if self.numbers is None:
            return np.zeros(self.rows, dtype=dtype)
        return self.numbers.astype(dtype)

    def as_list(self) -> list[Any]:
        """The original values; those of mixed kinds have become text."""
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
class _StoredPage:
    kind: _BlockKind
    rows: int
    offset: int
    numbers: str
    has_nulls: bool
    blob: int


class Table:
    """Fill it with `add`, then read it any number of times.

    `on_page` is called with the rows of each page after it was written; it may raise to stop.
    """

    def __init__(
        self, columns: Sequence[Column], folder: Path, on_page: Callable[[int], None]
    ) -> None:
        self._specs, self._on_page = columns, on_page
        self._stats = [ColumnStats(kinds=set()) for _ in columns]
        self.rows = 0
        self._pages: list[list[_StoredPage]] = []
        self._file: BinaryIO = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed in __exit__

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()

    @cached_property
    def columns(self) -> list[TypedColumn]:
        """With the kinds that they turn out to have, once the last page was added."""
        columns = zip(self._specs, self._stats, strict=True)
        return [TypedColumn(spec, stats.kind(spec.kind), stats) for spec, stats in columns]

    def add(self, page: Sequence[Sequence[Any]]) -> None:
        stored = []
        for cells, stats in zip(page, self._stats, strict=True):
            column = _make_page(cells, stats)
            stats.kinds.add(column.kind)
            stored.append(self._store(column))
        self._pages.append(stored)
        self.rows += len(page[0])

    def pages(self) -> Iterator[list[ColumnPage]]:
        for stored in self._pages:
            yield [self._load(each) for each in stored]
            self._on_page(stored[0].rows)

    def column(self, number: int) -> Iterator[ColumnPage]:
        for stored in self._pages:
            yield self._load(stored[number])

    def _store(self, page: ColumnPage) -> _StoredPage:
        offset = self._file.tell()
        dtype = "" if page.numbers is None else page.numbers.dtype.str
        for array in (page.numbers, page.nulls, page.lengths):
            if array is not None:
                self._file.write(array.tobytes())
        self._file.write(page.blob)
        has_nulls = page.nulls is not None
        return _StoredPage(page.kind, page.rows, offset, dtype, has_nulls, len(page.blob))

    def _load(self, stored: _StoredPage) -> ColumnPage:
        if stored.kind == "none":
            return ColumnPage("none", stored.rows)
        self._file.seek(stored.offset)
        numbers = self._array(stored.numbers, stored.rows) if stored.numbers else None
        nulls = self._array("?", stored.rows) if stored.has_nulls else None
        lengths = self._array("<i4", stored.rows) if stored.kind == "text" else None
        return ColumnPage(
            stored.kind, stored.rows, nulls, numbers, lengths, self._file.read(stored.blob)
        )

    def _array(self, dtype: str, rows: int) -> NDArray[Any]:
        return np.frombuffer(self._file.read(np.dtype(dtype).itemsize * rows), dtype=dtype)


def text_of(value: object) -> str:
    """The text of a value in a column of mixed kinds."""
    if isinstance(value, str):
        return value
    return repr(value) if isinstance(value, bool | int | float) else json.dumps(value, default=str)


def _make_page(cells: Sequence[Any], stats: ColumnStats) -> ColumnPage:
    """The values as arrays; updates `stats`."""
    types = set(map(type, cells))
    nulls = None
    if NoneType in types:
        types.discard(NoneType)
        stats.has_null = True
        if not types:
            return ColumnPage("none", len(cells))
        nulls = np.array([cell is None for cell in cells])
    if types == {float}:
        return _number_page("real", cells, nulls)
    if types == {bool}:
        return _number_page("flag", cells, nulls)
    if types == {int} and all(cell is None or WHOLE_LOW <= cell <= WHOLE_HIGH for cell in cells):
        page = _number_page("whole", cells, nulls)
        numbers = [cell for cell in cells if cell is not None]
        stats.low = min(stats.low, *numbers)
        stats.high = max(stats.high, *numbers)
        return page
    if types == {int, float} and all(abs(each) <= EXACT for each in cells if type(each) is int):
        return _number_page("real", cells, nulls)
    if types != {str}:
        cells = [None if cell is None else text_of(cell) for cell in cells]
    return _text_page(cells, nulls, stats)


def _number_page(
    kind: _BlockKind, cells: Sequence[Any], nulls: NDArray[np.bool_] | None
) -> ColumnPage:
    filler, dtype = _NUMBERS[kind]
    given = cells if nulls is None else [filler if cell is None else cell for cell in cells]
    return ColumnPage(kind, len(cells), nulls, np.array(given, dtype=dtype))


def _text_page(
    cells: Sequence[Any], nulls: NDArray[np.bool_] | None, stats: ColumnStats
) -> ColumnPage:
    texts = cells if nulls is None else ["" if cell is None else cell for cell in cells]
    joined = "".join(texts)
    if joined.isascii():
        lengths, blob = map(len, texts), joined.encode("ascii")
    else:
        parts = [text.encode("utf-8", "surrogatepass") for text in texts]
        lengths, blob = map(len, parts), b"".join(parts)
    sizes = np.fromiter(lengths, "<i4", len(texts))
    stats.add_texts(texts, joined, int(sizes.max()))
    return ColumnPage("text", len(texts), nulls, None, sizes, blob)


@dataclass(frozen=True)
class Column:
    """One column. `kind` is used if the values allow it; None: detected from the values."""

    name: str
    kind: Kind | None = None
    ucd: str = ""
    description: str = ""
    unit: str = ""
    given_name: str = ""  # the name in the list, if it differs


def free_name(wanted: str, used: set[str]) -> str:
    """The name, with a number if it is used already, in whatever case; now it is."""
    name, number = wanted, 1
    while name.casefold() in used:
        number += 1
        name = f"{wanted}_{number}"
    used.add(name.casefold())
    return name
