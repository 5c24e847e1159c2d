"""What a row says about the spectrum that is wanted."""

from __future__ import annotations

import pytest

from app.services.archives.wanted import Wanted, with_name_of_file


@pytest.mark.parametrize(
    ("text", "number"),
    [("266", 266), ("266.0", 266), ("", None), ("-3", None), ("1e5", None), ("9" * 21, None)],
)
def test_whole_numbers_are_read(text, number):
    assert Wanted(ids={"plate": text}).number("plate") == number


def test_the_first_column_that_is_given_counts():
    assert Wanted(ids={"fiber": " 7 ", "fiberid": ""}).number("fiberid", "fiber") == 7


def test_a_file_name_gives_plate_or_field():
    plate = with_name_of_file(Wanted(), "spec-0266-51602-0031")
    field = with_name_of_file(Wanted(), "spec-015000-59146-4375924756")
    assert plate.number("plate") == 266 and plate.number("fiberid") == 31
    assert field.number("field") == 15000 and field.number("catalogid") == 4375924756
    assert not with_name_of_file(Wanted(), "spec-55977-GAC061N46_sp08-157").ids


def test_what_the_row_gives_is_not_replaced():
    given = with_name_of_file(Wanted(ids={"plate": "7", "mjd": ""}), "spec-0266-51602-0031")
    assert (given.number("plate"), given.number("mjd")) == (7, 51602)
