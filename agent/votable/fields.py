"""Columns of a VOTable as their FIELD elements describe them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from agent.errors import ReadError

# Codes that both `struct` and numpy understand; VOTable numbers are big-endian.
CODES = {
    "boolean": "c",
    "bit": "B",
    "unsignedByte": "B",
    "short": ">h",
    "int": ">i",
    "long": ">q",
    "float": ">f",
    "double": ">d",
    "char": "c",
    "unicodeChar": ">H",
    "floatComplex": ">F",
    "doubleComplex": ">D",
}
DTYPES = {datatype: np.dtype(code) for datatype, code in CODES.items()}
MAX_ELEMENTS = 64 * 1024 * 1024
# Up to eight dimensions: the product of hundreds would be taken again for every row.
_ARRAYSIZE = re.compile(r"[0-9]{1,9}(x[0-9]{1,9}){0,7}(x?\*)?|\*")


class VOTableError(ReadError):
    """A VOTable that is damaged, unsafe or of an unsupported kind."""


@dataclass
class VOTableField:
    """A FIELD element; `null` is the text that means "no value" in a column of integers."""

    name: str
    datatype: str
    arraysize: str = ""
    unit: str = ""
    ucd: str = ""
    description: str = ""
    null: str = ""
    utype: str = ""

    def check(self) -> None:
        """Raises VOTableError unless the type and size of the cells are valid."""
        column = f"its column {self.name[:40]!r}"
        if self.datatype not in CODES:
            raise VOTableError(f"{column} has an unknown type")
        if self.arraysize and not _ARRAYSIZE.fullmatch(self.arraysize):
            raise VOTableError(f"{column} has an invalid arraysize")
        if (self.count or 0) > MAX_ELEMENTS:
            raise VOTableError(f"{column} declares {self.count:,} elements per cell")

    @property
    def is_text(self) -> bool:
        return self.datatype in ("char", "unicodeChar")

    @property
    def is_array(self) -> bool:
        """Whether a cell may hold several values; a text is one value."""
        return "x" in self.arraysize if self.is_text else self.arraysize not in ("", "1")

    @property
    def count(self) -> int | None:
        """Elements of a cell in BINARY; None where each cell starts with its own count."""
        if "*" in self.arraysize:
            return None
        return math.prod(int(part) for part in self.arraysize.split("x")) if self.arraysize else 1

    def bytes_of(self, elements: int) -> int:
        if self.datatype == "bit":
            return (elements + 7) // 8
        return elements * DTYPES[self.datatype].itemsize
