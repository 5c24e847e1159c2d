"""What all list formats share."""

from __future__ import annotations

from app.core.database.tables import MIN_TARGETID as IN_TABLES
from app.core.importing.formats.cell_numbers import whole_of
from app.core.importing.formats.contents import MIN_TARGETID, column_names


def test_from_where_on_a_row_is_a_target():
    assert MIN_TARGETID == IN_TABLES


def test_names_of_columns_are_unique():
    given = ["a", "a", "a_2", "a", "", " b\x1b ", "a_2"]
    assert column_names(given) == ["a", "a_2", "a_2_2", "a_3", "col5", "b?", "a_2_3"]
    assert len(set(column_names(["c"] * 2000 + ["c_7"] * 9))) == 2009


def test_whole_numbers_however_they_are_written():
    written = ("3", " 3 ", "+3", "3.0", "3.000", "3e0", "3.0e+00")
    assert [whole_of(text) for text in written] == [3] * 7
    assert whole_of("9223372036854775807") == 2**63 - 1
    odd = ("", "3.5", "1_0", "nan", "inf", "1e999", "9007199254740994.0", "9" * 9000, "x", "٣.5")
    assert [whole_of(text) for text in odd] == [None] * 10
