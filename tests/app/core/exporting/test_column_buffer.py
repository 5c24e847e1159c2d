"""Kinds of columns, known only after the last row."""

from __future__ import annotations

import pytest

from app.core.exporting import export
from tests.app.core.exporting.catalogues import TYPED, listed, read_back


@pytest.mark.parametrize("suffix", TYPED)
def test_kinds_that_change_on_the_way(session_path, suffix):
    """A column is what all of its values are, whatever the first thousand look like."""
    many = 1200
    names = ("late word", "late real", "late large", "large first", "huge")
    names += ("true or 1", "never", "17 digits")
    values = [
        {"late word": 1, "late real": 2, "late large": 3, "huge": 4, "true or 1": 1, "never": None}
        | {"17 digits": f"{39627834455786901 + number:020d}"}
        for number in range(many)
    ]
    values[-1] |= {"late word": "n/a", "late real": 0.5, "late large": 2**53 + 1, "huge": 2**70}
    values[-1] |= {"true or 1": True}
    values[-2] |= {"late large": 0.5}
    for number, value in enumerate(values):
        value["large first"] = 2**53 + 1 if number < many // 2 else 0.5
    columns = [{"name": name, "unit": ""} for name in names]
    with listed(session_path, [{"own": own} for own in values], columns) as session:
        export(session, session_path.with_suffix(f".{suffix}"), which="all")
    found = read_back(session_path.with_suffix(f".{suffix}"))
    real = {name.replace("_", " "): cells for name, cells in found.items()}
    assert real["late word"] == ["1"] * (many - 1) + ["n/a"]
    assert real["late real"] == [2.0] * (many - 1) + [0.5]
    assert real["late large"] == ["3"] * (many - 2) + ["0.5", str(2**53 + 1)]
    assert real["large first"] == [str(2**53 + 1)] * (many // 2) + ["0.5"] * (many // 2)
    assert real["huge"] == ["4"] * (many - 1) + [str(2**70)]
    assert real["true or 1"] == ["1"] * (many - 1) + ["True"]
    assert not any(real["never"])
    assert real["17 digits"] == [row["17 digits"] for row in values]
