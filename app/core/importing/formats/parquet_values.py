"""Kinds, sizes and values of Arrow columns."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.core.importing.formats.contents import INT64, Kind, Value, clean, floats, short_floats

UNREADABLE = (ArithmeticError, ValueError, LookupError)
"""As Python cannot hold it: a date before year 1 or after 9999, or of an unknown time zone."""


def kind_of(type_: Any) -> Kind | None:
    """The kind of a column; None if it does not contain single values."""
    types: Any = import_module("pyarrow.types")

    if types.is_dictionary(type_):
        return "str" if kind_of(type_.value_type) == "str" else None
    if types.is_boolean(type_):
        return "bool"
    if types.is_integer(type_):
        return "int"
    if types.is_floating(type_) or types.is_decimal(type_):
        return "float"
    return "str" if is_text(type_) or types.is_temporal(type_) else None


def is_text(type_: Any) -> bool:
    types: Any = import_module("pyarrow.types")

    return bool(types.is_string(type_) or types.is_large_string(type_))


def text_bytes(array: Any) -> NDArray[Any] | int:
    """The length of each text, without making it; 0 for columns of other types."""
    compute: Any = import_module("pyarrow.compute")
    types: Any = import_module("pyarrow.types")

    if types.is_dictionary(array.type) and is_text(array.type.value_type):
        lengths = compute.take(compute.binary_length(array.dictionary), array.indices)
    elif is_text(array.type):
        lengths = compute.binary_length(array)
    else:
        return 0
    return numbers_of(lengths, 0)


def values_of(array: Any, kind: Kind) -> tuple[list[Value], int]:
    """The values, and how many had to be left out because Python cannot hold them."""
    types: Any = import_module("pyarrow.types")

    if types.is_dictionary(array.type) and is_text(array.type.value_type):
        return _texts(array), 0
    if is_text(array.type):
        return [None if text is None else clean(text) for text in array.to_pylist()], 0
    if kind == "float" and types.is_floating(array.type):
        numbers = numbers_of(array, math.nan)
        return (floats if types.is_float64(array.type) else short_floats)(numbers), 0
    values, left_out = _python_values(array)
    if kind == "float":
        values = floats(np.array([np.nan if v is None else float(v) for v in values]))
    elif kind == "int":
        values = [None if v is None or abs(v) >= INT64 else v for v in values]
    elif kind == "str":
        values = [None if v is None else str(v) for v in values]
    return values, left_out


def numbers_of(array: Any, null: float) -> NDArray[Any]:
    """The numbers of a column. Array.to_numpy would import pandas, which takes half a second."""
    compute: Any = import_module("pyarrow.compute")
    pyarrow: Any = import_module("pyarrow")

    if array.null_count:
        array = compute.fill_null(array, pyarrow.scalar(null, array.type))
    return np.from_dlpack(array)


def _texts(array: Any) -> list[Value]:
    # A dictionary may be large: decode only the entries used in these rows.
    used = array.indices.unique().drop_null()
    texts = [None if v is None else clean(v) for v in array.dictionary.take(used).to_pylist()]
    text_of: dict[int | None, str | None] = dict(zip(used.to_pylist(), texts, strict=True))
    return [text_of.get(each) for each in array.indices.to_pylist()]


def _python_values(array: Any) -> tuple[list[Any], int]:
    if getattr(array.type, "unit", "") == "ns":  # Python has none, and pandas is slow to import
        array = array.cast(_in_microseconds(array.type), safe=False)
    try:
        return array.to_pylist(), 0
    except UNREADABLE:
        values = list(map(_python_value, array))
        return values, values.count(None) - array.null_count


def _in_microseconds(type_: Any) -> Any:
    pyarrow: Any = import_module("pyarrow")

    if pyarrow.types.is_timestamp(type_):
        return pyarrow.timestamp("us", type_.tz)
    return pyarrow.time64("us") if pyarrow.types.is_time(type_) else pyarrow.duration("us")


def _python_value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except UNREADABLE:
        return None
