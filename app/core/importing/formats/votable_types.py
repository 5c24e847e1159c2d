"""What a FIELD of a VOTable says of its cells, and cells as text or bytes turned into values."""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.core.importing.errors import ImportFailed
from app.core.importing.formats.cell_numbers import float_of, is_missing
from app.core.importing.formats.contents import INT64, Kind, Value, clean

SIZES = {
    "boolean": ("c", 1),
    "bit": ("B", 1),
    "unsignedByte": ("B", 1),
    "short": (">h", 2),
    "int": (">i", 4),
    "long": (">q", 8),
    "float": (">f", 4),
    "double": (">d", 8),
    "char": ("", 1),
    "unicodeChar": ("", 2),
    "floatComplex": ("", 8),
    "doubleComplex": ("", 16),
}
KINDS: dict[str, Kind] = {
    "boolean": "bool",
    "bit": "bool",
    "unsignedByte": "int",
    "short": "int",
    "int": "int",
    "long": "int",
    "float": "float",
    "double": "float",
    "char": "str",
    "unicodeChar": "str",
}
TRUE, FALSE = frozenset("tT1"), frozenset("fF0")
MAX_ELEMENTS = 64 * 1024 * 1024
_ARRAY = re.compile(r"[0-9]{1,9}(x[0-9]{1,9})*(x?\*)?|\*")
_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")


@dataclass
class VOTableField:
    """A FIELD element. `null` is what stands for no value among whole numbers."""

    name: str
    datatype: str
    arraysize: str = ""
    unit: str = ""
    ucd: str = ""
    description: str = ""
    null: str = ""

    def check(self) -> None:
        if self.datatype not in SIZES:
            raise ImportFailed(f"its column {self.name[:40]!r} is of an unknown type")
        if self.arraysize and not _ARRAY.fullmatch(self.arraysize):
            raise ImportFailed(f"its column {self.name[:40]!r} has a faulty arraysize")
        if (self.count or 0) > MAX_ELEMENTS:
            raise ImportFailed(f"its column {self.name[:40]!r} declares {self.count:,} elements")

    @property
    def is_single(self) -> bool:
        """One plain value a row; a text counts as one."""
        if self.datatype in ("char", "unicodeChar"):
            return "x" not in self.arraysize
        return self.arraysize in ("", "1") and self.datatype in KINDS

    @property
    def kind(self) -> Kind:
        return KINDS[self.datatype]

    @property
    def count(self) -> int | None:
        """Elements of a cell in BINARY; None where each cell says how many."""
        if "*" in self.arraysize:
            return None
        return math.prod(int(part) for part in self.arraysize.split("x")) if self.arraysize else 1

    def bytes_of(self, elements: int) -> int:
        if self.datatype == "bit":
            return (elements + 7) // 8
        return elements * SIZES[self.datatype][1]

    def from_text(self, text: str) -> Value:
        """Of a TD."""
        if self.kind == "str":
            return clean(text)
        text = text.strip()
        if not text or (self.null and text == self.null) or is_missing(text):
            return None
        if self.kind == "bool":
            return True if text[0] in TRUE else False if text[0] in FALSE else None
        if self.kind == "float":
            number = float_of(text)
            return None if number is None or math.isnan(number) else number
        whole = int(text) if _WHOLE.fullmatch(text) else _hexadecimal(text)
        return whole if whole is not None and abs(whole) < INT64 else None

    def from_bytes(self, raw: bytes) -> Value:
        """Of a cell in BINARY or BINARY2."""
        if self.datatype == "char":
            return clean(raw.partition(b"\0")[0].decode("utf-8", "replace"))
        if self.datatype == "unicodeChar":
            return clean(raw.decode("utf-16-be", "replace").partition("\0")[0])
        if self.datatype == "bit":
            return raw[0] != 0  # some set the wrong one of its bits
        if self.datatype == "boolean":
            text = raw.decode("latin-1")
            return True if text in TRUE else False if text in FALSE else None
        (value,) = struct.unpack(SIZES[self.datatype][0], raw)
        return self._number(value)

    def _number(self, value: Any) -> Value:
        if self.kind == "int":
            return None if self.null and str(value) == self.null else int(value)
        if math.isnan(value):
            return None
        return float(str(np.float32(value))) if self.datatype == "float" else float(value)


def _hexadecimal(text: str) -> int | None:
    try:
        return int(text, 16) if text.lower().startswith("0x") else None
    except ValueError:
        return None
