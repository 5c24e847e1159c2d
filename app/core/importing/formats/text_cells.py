"""Cells of text tables, and detection of the type of their columns."""

import math
import re
from collections.abc import Sequence
from json.encoder import JSONEncoder, encode_basestring

from app.core.importing.formats.cell_numbers import EXACT, MISSING, float_of, is_missing, number_of
from app.core.importing.formats.contents import INT64, Kind, Value

# Numbers that are valid JSON as they are, and neither overflow nor lose digits as doubles.
_INTEGER = r"-?(?:0|[1-9][0-9]{0,17})"
_REAL = r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,2})?"
_INTEGERS = re.compile(rf"(?:{_INTEGER}\n)*+")
_REALS = re.compile(rf"(?:{_REAL}\n)*+")
_ONE_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
_ZERO_PADDED = re.compile(r"[+-]?0[0-9]+")  # '007' is an identifier, not a number
_LOGICAL = {"true": True, "false": False}
_json = JSONEncoder(ensure_ascii=False).encode


class CellMismatch(Exception):
    """A cell does not match the detected type of its column."""


class TextCells:
    """One column of a block. `kind` is None as long as no cell has had a value."""

    def __init__(self, texts: list[str], kind: Kind | None) -> None:
        self._texts = texts
        self._kind = kind

    def texts(self) -> list[str]:
        if self._kind == "float":
            return [text.removesuffix(".0") for text in self._texts]
        return self._texts

    def values(self) -> list[Value]:
        """Raises CellMismatch."""
        return [_value(text, self._kind) for text in self._texts]

    def numbers(self) -> list[float | None]:
        try:
            found = list(map(float, self._texts))
        except ValueError:
            return [number_of(text) for text in self._texts]
        if math.isfinite(sum(found)) and "_" not in "".join(self._texts):
            return [*found]
        return [number_of(text) for text in self._texts]

    def json(self) -> list[str]:
        """Raises CellMismatch."""
        if self._kind == "str":
            return list(map(encode_basestring, self._texts))
        if self._kind == "int" and _all_match(_INTEGERS, self._texts):
            return self._texts
        if self._kind == "float" and _all_match(_REALS, self._texts):
            return self._texts
        return [_json(_value(text, self._kind)) for text in self._texts]


class KindGuess:
    """Detects the kind of a column from the cells seen so far."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def add(self, texts: Sequence[str]) -> None:
        if self._seen == {"str"}:
            return
        if _all_match(_INTEGERS, texts) and max(map(len, texts), default=0) < 16:
            self._seen.add("int")
        elif _all_match(_REALS, texts) and not any(map(_ONE_INTEGER.fullmatch, texts)):
            self._seen.add("float")
        else:
            self._seen |= {_kind_of(text) for text in set(texts)}
        if "str" in self._seen:
            self._seen = {"str"}

    @property
    def kind(self) -> Kind | None:
        seen = self._seen - {""}
        if not seen:
            return None
        if seen == {"bool"}:
            return "bool"
        if seen == {"int"} or seen <= {"int", "long"}:
            return "int"
        if seen <= {"int", "float"}:
            return "float"
        return "str"  # mixed kinds, or large integers that would be rounded as floats


def _all_match(pattern: re.Pattern[str], texts: Sequence[str]) -> bool:
    joined = "\n".join(texts) + "\n"
    return pattern.fullmatch(joined) is not None and joined.count("\n") == len(texts)


def _kind_of(text: str) -> str:
    """The kind of one cell; '' for no value, 'long' for integers above EXACT."""
    text = text.strip()
    low = text.lower()
    if low in MISSING:
        return ""
    if low in _LOGICAL:
        return "bool"
    if _ONE_INTEGER.fullmatch(text):
        size = abs(int(text))
        return "int" if size <= EXACT else "long" if size < INT64 else "str"
    if _ZERO_PADDED.fullmatch(text) or float_of(text) is None:
        return "str"
    return "float"


def _value(text: str, kind: Kind | None) -> Value:
    if kind == "str":
        return text
    text = text.strip()
    if is_missing(text):
        return None
    cell_kind = _kind_of(text)
    if kind == "int" and cell_kind in ("int", "long"):
        return int(text)
    if kind == "float" and cell_kind in ("int", "float"):
        number = float(text)
        return number if math.isfinite(number) else None
    if kind == "bool" and text.lower() in _LOGICAL:
        return _LOGICAL[text.lower()]
    raise CellMismatch
