"""What every format of a list is turned into: columns, and blocks of rows column by column."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from json.encoder import encode_basestring
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from agent.checked_toml import printable
from app.core.importing.formats.cell_numbers import number_of

Value = int | float | bool | str | None
Kind = Literal["int", "float", "bool", "str"]

MAX_COLUMNS = 2000
MAX_ROWS = 20_000_000
MAX_CELL = 32_767
"""Characters, as in a spreadsheet."""
MAX_NAME = 80
MAX_WORDS = 500
BLOCK_BYTES = 128 * 1024
"""Of one block: what is worked on stays in the processor's cache."""
INT64 = 2**63
TARGETID = 100_000_000
"""As in app.core.database.tables, which takes longer to load than a list to read."""


@dataclass(frozen=True, kw_only=True)
class ListColumn:
    """A column as the list describes it, or as its values look."""

    name: str
    kind: Kind
    unit: str = ""
    description: str = ""
    ucd: str = ""


@dataclass(frozen=True)
class Refused:
    """A row that cannot be used. `line` counts rows from 1, the header left out."""

    line: int
    reason: str


class Cells(Protocol):
    """One column of a block, in the forms that are wanted of it."""

    def values(self) -> list[Value]:
        """Typed; None where there is no value."""

    def texts(self) -> list[str]:
        """Stripped; empty where there is no value."""

    def numbers(self) -> list[float | None]:
        """Finite numbers; None where the cell holds none."""

    def json(self) -> list[str]:
        """Each value as a piece of JSON."""


@dataclass
class RowBlock:
    """Some rows of a list. `lines` numbers them as `Refused` does; `cells` has every column."""

    lines: Sequence[int]
    cells: Sequence[Cells]
    refused: list[Refused] = field(default_factory=list)


class ListFile(Protocol):
    """A list that was opened. `blocks` may be run through more than once."""

    @property
    def format(self) -> str: ...

    @property
    def columns(self) -> tuple[ListColumn, ...]: ...

    @property
    def estimate(self) -> int | None:
        """How many rows, about."""

    def blocks(self) -> Iterator[RowBlock]: ...

    def settle(self) -> None:
        """Look at every row for the kinds of the columns, after one has shown itself wrong."""

    def warnings(self) -> list[str]:
        """What the reader of the file had to assume; complete after the last block."""


class TypedCells:
    """Of a format that has types. Texts must not hold NUL: see `clean`."""

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
    """A whole number without its '.0': identifiers come as floats, too."""
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


def clean(text: str) -> str:
    """Without NUL, which no database takes, and no longer than a cell may be."""
    return text.replace("\0", "�")[:MAX_CELL]


def short_floats(numbers: NDArray[Any]) -> list[Value]:
    """Single precision as people write it: 0.1, not 0.10000000149011612."""
    return [None if math.isnan(each) else each for each in map(float, numbers.astype("U32"))]


def floats(numbers: NDArray[Any]) -> list[Value]:
    return [None if math.isnan(each) else each for each in numbers.astype(np.float64).tolist()]


def column_names(given: Sequence[str]) -> list[str]:
    """Printable, not empty, and none of them twice."""
    names: list[str] = []
    taken: set[str] = set()
    for number, name in enumerate(given, 1):
        name = " ".join(printable(name.strip(), MAX_NAME).split()) or f"col{number}"
        stem, count = name, 1
        while name in taken:
            count += 1
            name = f"{stem}_{count}"
        taken.add(name)
        names.append(name)
    return names


def counted(count: int, what: str, *, ending: str = "s") -> str:
    """'1 row' or '2,000 rows'."""
    return f"{count:,} {what}{'' if count == 1 else ending}"


def left_out_words(columns: int) -> list[str]:
    return [f"left out: {counted(columns, 'column')} of arrays"] if columns else []


def words(text: str) -> str:
    """A unit or a description, made printable and bounded."""
    return printable(" ".join(text.split()), MAX_WORDS)
