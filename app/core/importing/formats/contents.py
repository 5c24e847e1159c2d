"""The common form of all list formats: columns, and blocks of rows stored column by column."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from json.encoder import encode_basestring
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from agent.checked_toml import printable
from agent.errors import ReadError
from app.core.errors import ImportFailed, counted_text
from app.core.importing.formats.cell_numbers import number_of

Value = int | float | bool | str | None
Kind = Literal["int", "float", "bool", "str"]

MAX_COLUMNS = 2000
MAX_ROWS = 20_000_000
MAX_CELL = 32_767  # Characters in a cell; the limit of spreadsheets.
MAX_NAME = 80
MAX_WORDS = 500
BLOCK_BYTES = 128 * 1024  # Size of a block; it should fit into the processor cache.
INT64 = 2**63
MIN_TARGETID = 100_000_000
"""Copy of app.core.database.tables.MIN_TARGETID, because importing that module is slow."""


@dataclass(frozen=True, kw_only=True)
class ListColumn:
    """A column as declared by the list, or with the type detected from its values."""

    name: str
    kind: Kind
    unit: str = ""
    description: str = ""
    ucd: str = ""


@dataclass(frozen=True)
class Refused:
    """A row that cannot be used. `line` is the row number from 1, without the header."""

    line: int
    reason: str


class Cells(Protocol):
    """One column of a block, convertible to several forms."""

    def values(self) -> list[Value]:
        """Typed values; None for missing ones."""

    def texts(self) -> list[str]:
        """Stripped texts; empty for missing values."""

    def numbers(self) -> list[float | None]:
        """Finite numbers; None where the cell is not one."""

    def json(self) -> list[str]:
        """Each value as JSON."""


@dataclass
class RowBlock:
    """Consecutive rows of a list: their numbers (as in `Refused`) and the cells of each column."""

    lines: Sequence[int]
    cells: Sequence[Cells]
    refused: list[Refused] = field(default_factory=list)


class ListFile(Protocol):
    """An open list. `blocks` can be iterated more than once."""

    @property
    def format(self) -> str: ...

    @property
    def columns(self) -> tuple[ListColumn, ...]: ...

    @property
    def estimate(self) -> int | None:
        """Approximate number of rows, None if unknown."""

    def blocks(self) -> Iterator[RowBlock]: ...

    def recheck_types(self) -> None:
        """Detect the column types again from all rows, after a CellMismatch."""

    def warnings(self) -> list[str]:
        """Assumptions made while reading; complete after the last block."""


class TypedList:
    """What lists of typed columns have in common; `left_out` counts the columns of arrays."""

    left_out = 0

    def recheck_types(self) -> None:
        """Nothing to do: the columns have fixed types."""

    def warnings(self) -> list[str]:
        return [f"skipped {counted_text(self.left_out, 'array column')}"] if self.left_out else []


class TypedCells:
    """Cells of a typed format. Texts must not contain NUL: see `clean`."""

    def __init__(self, values: list[Value], kind: Kind) -> None:
        self._values = values
        self._kind = kind

    def values(self) -> list[Value]:
        return self._values

    def texts(self) -> list[str]:
        if self._kind == "float":
            return [_float_text(value) for value in self._values]
        return ["" if value is None else str(value).strip() for value in self._values]

    def numbers(self) -> list[float | None]:
        if self._kind == "str":
            return [None if text is None else number_of(str(text)) for text in self._values]
        return [_finite(value) for value in self._values]

    def json(self) -> list[str]:
        if self._kind == "str":
            return ["null" if each is None else encode_basestring(each) for each in self._values]  # type: ignore[arg-type]
        if self._kind == "bool":
            return [_LOGICAL[each] for each in self._values]
        if self._kind == "int":
            return ["null" if each is None else str(each) for each in self._values]
        return [_number_json(each) for each in self._values]


_LOGICAL: dict[Value, str] = {True: "true", False: "false", None: "null"}


def _float_text(value: Value) -> str:
    """A whole number without '.0', because identifiers may be stored as floats."""
    if value is None:
        return ""
    text = repr(value)
    return text.removesuffix(".0") if "e" not in text else text


def _finite(value: Value) -> float | None:
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def _number_json(value: Value) -> str:
    return "null" if value is None or not math.isfinite(float(value)) else repr(value)


@contextmanager
def import_errors() -> Iterator[None]:
    """What is wrong with a file that is a list is told as such."""
    try:
        yield
    except ReadError as error:
        raise ImportFailed(str(error)) from error


def clean(text: str) -> str:
    """Replace NUL, which databases reject, and truncate to MAX_CELL."""
    return text.replace("\0", "�")[:MAX_CELL]


def short_floats(numbers: NDArray[Any]) -> list[Value]:
    """Single-precision values at their shortest: 0.1, not 0.10000000149011612."""
    return [None if math.isnan(each) else each for each in map(float, numbers.astype("U32"))]


def floats(numbers: NDArray[Any]) -> list[Value]:
    return [None if math.isnan(each) else each for each in numbers.astype(np.float64).tolist()]


def column_names(given: Sequence[str]) -> list[str]:
    """Printable, non-empty and unique names."""
    names: list[str] = []
    used: set[str] = set()
    counts: dict[str, int] = {}
    for number, name in enumerate(given, 1):
        name = " ".join(printable(name.strip(), MAX_NAME).split()) or f"col{number}"
        stem = name
        while name in used:
            counts[stem] = counts.get(stem, 1) + 1
            name = f"{stem}_{counts[stem]}"
        used.add(name)
        names.append(name)
    return names


def clean_words(text: str) -> str:
    """A unit or description, printable and bounded."""
    return printable(" ".join(text.split()), MAX_WORDS)
