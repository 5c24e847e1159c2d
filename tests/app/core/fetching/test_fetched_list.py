"""The list of what was fetched opens as any other."""

from __future__ import annotations

import csv

from agent.tasks.catalogue import find_task
from app.core.fetching.fetch_run import FailedRow, FetchedRow, FetchReport
from app.core.fetching.fetched_list import write_lists
from app.core.fetching.rows import FetchRow
from app.core.importing.importer import import_list
from app.core.session.session import new_session
from app.services.archives.wanted import Wanted
from tests.agent.spectra.readers import samples
from tests.app.core.fetching.test_rows import RECORD

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
