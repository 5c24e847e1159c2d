"""The list of what was fetched opens as any other."""

import csv

import pytest

from agent.errors import WorkbenchError
from agent.tasks.catalogue import find_task
from app.core.fetching.fetch_run import FailedRow, FetchedRow, FetchReport
from app.core.fetching.fetched_list import write_lists
from app.core.fetching.rows import FetchRow
from app.core.fetching.typed import typed_rows
from app.core.importing.importer import import_list
from app.core.session.session import new_session
from app.services.archives.wanted import Wanted
from tests.agent.spectra.readers import samples
from tests.app.core.fetching.test_rows import RECORD
from tests.app.services.archives.archive_play import UUID

ROW = FetchRow(
    wanted=Wanted(line=4, object_id="star", ra=147.3, dec=-0.006),
    score=0.9,
    own={"plate": 266, "remark": 'a,"b"'},
)


def test_a_session_is_made_of_it_at_once(tmp_path):
    (tmp_path / "a.fits").write_bytes(samples.sdss())
    path = write_lists(FetchReport(fetched=[FetchedRow(ROW, RECORD)]), tmp_path)
    with new_session(tmp_path / "s.speco3", find_task("CV"), "Ada") as session:
        report = import_list(session, path)
        (candidate,) = session.candidates([1])
    assert report.missing_files == 0 and candidate.path == str(tmp_path / "a.fits")
    assert (candidate.object_id, candidate.ra, candidate.score) == ("star", 147.3, 0.9)
    assert candidate.own["remark"] == 'a,"b"' and candidate.own["archive_id"] == RECORD.id


def test_what_was_not_fetched_has_its_reason_and_goes_once_it_was(tmp_path):
    assert write_lists(FetchReport(failed=[FailedRow(ROW, "why")]), tmp_path) is None
    with (tmp_path / "not_fetched.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert (row["object_id"], row["plate"], row["reason"]) == ("star", "266", "why")
    write_lists(FetchReport(fetched=[FetchedRow(ROW, RECORD)]), tmp_path)
    assert not (tmp_path / "not_fetched.csv").exists()


# Spectra that a person types.
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
        ("sdss", "24.3 25.4"), ("sdss", "266-51602"), ("lamost", "24.3 25.4"), ("lamost", "abc"),
        ("ssap", "677503031"), ("ssap", "24.3 95.0"), ("ssap", "nan 1"), ("ssap", "inf inf"),
        ("sparcl", "one two"),
    ],
)  # fmt: skip
def test_the_line_that_says_nothing_is_named(archive, line):
    good = {"sdss": "266-51602-31", "lamost": "677503031"}.get(archive, "1 2")
    with pytest.raises(WorkbenchError, match="line 2 "):
        typed_rows(f"{good}\n{line}", archive)


def test_no_end_of_lines_is_refused():
    with pytest.raises(WorkbenchError, match="10,000"):
        typed_rows("1 2\n" * 10_001, "ssap")
