from __future__ import annotations

import pytest

from agent.votable.fields import VOTableError, VOTableField


@pytest.mark.parametrize(
    ("datatype", "arraysize", "is_array", "count"),
    [
        ("double", "", False, 1),
        ("double", "1", False, 1),
        ("double", "3x4", True, 12),
        ("double", "*", True, None),
        ("char", "8", False, 8),
        ("char", "*", False, None),
        ("unicodeChar", "8x3", True, 24),
        ("float", "8x*", True, None),
        ("float", "1x1x1x1x1x1x1x9", True, 9),
    ],
)
def test_sizes_of_cells(datatype: str, arraysize: str, is_array: bool, count: int | None) -> None:
    field = VOTableField("a", datatype, arraysize)
    field.check()
    assert (field.is_array, field.count) == (is_array, count)


@pytest.mark.parametrize(
    ("datatype", "size"), [("bit", 2), ("boolean", 9), ("unicodeChar", 18), ("doubleComplex", 144)]
)
def test_bytes_of_nine_elements(datatype: str, size: int) -> None:
    assert VOTableField("a", datatype).bytes_of(9) == size


@pytest.mark.parametrize(
    ("datatype", "arraysize", "message"),
    [
        ("x", "", "'a' has an unknown type"),
        ("int", "-1", "'a' has an invalid arraysize"),
        ("int", "9x" * 8 + "0", "'a' has an invalid arraysize"),
        ("int", "9x" * 9 + "*", "'a' has an invalid arraysize"),
        ("int", "999999999x9", "declares 8,999,999,991 elements per cell"),
    ],
)
def test_invalid_columns_are_refused(datatype: str, arraysize: str, message: str) -> None:
    with pytest.raises(VOTableError, match=message):
        VOTableField("a", datatype, arraysize).check()
