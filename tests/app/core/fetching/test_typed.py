"""Spectra that a person types."""

from __future__ import annotations

import pytest

from agent.errors import WorkbenchError
from app.core.fetching.typed import typed_rows
from tests.app.services.archives.archive_play import UUID


@pytest.mark.parametrize(
    ("archive", "line", "ids"),
    [
        ("sdss", "0266-51602-0031", {"plate": "266", "mjd": "51602", "fiberid": "31"}),
        ("sdss", "spec-0266-51602-0031.fits", {"plate": "266", "mjd": "51602", "fiberid": "31"}),
        ("sdss", "266, 51602 31", {"plate": "266", "mjd": "51602", "fiberid": "31"}),
        (
            "sdss",
            "015000-59146-4375924756",
            {"field": "15000", "mjd": "59146", "catalogid": "4375924756"},
        ),
        ("lamost", " 677503031 ", {"obsid": "677503031"}),
        ("sparcl", UUID.upper(), {"sparcl_id": UUID}),
        ("sparcl", "39627792213580000", {"specid": "39627792213580000"}),
    ],
)
def test_numbers_are_those_of_the_archive(archive, line, ids):
    (row,) = typed_rows(f"\n{line}\n", archive)
    assert row.wanted.ids == ids and row.wanted.line == 1


@pytest.mark.parametrize(
    "line",
    ["24.376852 25.427147", "24.376852, +25.427147", "01:37:30.444 +25:25:37.73",
     "01 37 30.444 +25 25 37.73"],
)  # fmt: skip
def test_places_are_degrees_or_sexagesimal(line):
    for archive in ("sparcl", "ssap"):
        (row,) = typed_rows(line, archive)
        assert (row.wanted.ra, row.wanted.dec) == pytest.approx((24.376852, 25.427147), abs=1e-5)
        assert row.wanted.object_id.startswith("J0137")


@pytest.mark.parametrize(
    ("archive", "line"),
    [
        ("sdss", "24.3 25.4"),
        ("sdss", "266-51602"),
        ("lamost", "24.3 25.4"),
        ("lamost", "abc"),
        ("ssap", "677503031"),
        ("ssap", "24.3 95.0"),
        ("ssap", "nan 1"),
        ("ssap", "inf inf"),
        ("sparcl", "one two"),
    ],
)
def test_the_line_that_says_nothing_is_named(archive, line):
    good = {"sdss": "266-51602-31", "lamost": "677503031"}.get(archive, "1 2")
    with pytest.raises(WorkbenchError, match="line 2 "):
        typed_rows(f"{good}\n{line}", archive)


def test_no_end_of_lines_is_refused():
    with pytest.raises(WorkbenchError, match="10,000"):
        typed_rows("1 2\n" * 10_001, "ssap")
