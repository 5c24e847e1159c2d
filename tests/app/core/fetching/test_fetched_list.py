"""The list of what was fetched opens as any other."""

import csv
import hashlib
from dataclasses import replace

import pytest
from astropy.table import Table

from agent.errors import WorkbenchError
from agent.tasks.catalogue import find_task
from app.core.errors import ImportFailed, SessionError
from app.core.fetching.fetch_run import (
    FailedRow,
    FetchedFileRecord,
    FetchedRow,
    FetchReport,
    Journal,
)
from app.core.fetching.fetched_list import keep_in_session, write_lists
from app.core.fetching.rows import (
    FetchRow,
    missing_in_session,
    row_of_candidate,
    rows_of_list,
    typed_rows,
)
from app.core.importing.importer import import_list
from app.core.session.session import list_roles, new_session
from app.core.session.spectra_folders import outside_folders
from app.services.archives.archive import Wanted
from tests.agent.spectra.readers import samples
from tests.app.core.importing.lists import listed
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
@pytest.mark.parametrize(("archive", "line", "ids"), [
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
])  # fmt: skip
def test_numbers_are_those_of_the_archive(archive, line, ids):
    (row,) = typed_rows(f"\n{line}\n", archive)
    assert row.wanted.ids == ids and row.wanted.line == 1


@pytest.mark.parametrize(
    "line",
    ["24.376852 25.427147", "24.376852, +25.427147", "01:37:30.444 +25:25:37.73",
     "01 37 30.444 +25 25 37.73"],
)  # fmt: skip
def test_places_are_degrees_or_sexagesimal(line):
    for archive in ("sparcl", "sdss", "lamost", "ssap"):
        (row,) = typed_rows(line, archive)
        assert (row.wanted.ra, row.wanted.dec) == pytest.approx((24.376852, 25.427147), abs=1e-5)
        assert row.wanted.object_id.startswith("J0137")


@pytest.mark.parametrize(("archive", "line"), [
    ("sdss", "24.3"), ("sdss", "266-51602"), ("lamost", "24.3 95.4"), ("lamost", "abc"),
    ("ssap", "677503031"), ("ssap", "24.3 95.0"), ("ssap", "nan 1"), ("ssap", "inf inf"),
    ("sparcl", "one two"),
])  # fmt: skip
def test_the_line_that_says_nothing_is_named(archive, line):
    good = {"sdss": "266-51602-31", "lamost": "677503031"}.get(archive, "1 2")
    with pytest.raises(WorkbenchError, match="line 2 "):
        typed_rows(f"{good}\n{line}", archive)


# Rows of lists, and candidates without a file, as spectra to be fetched.
PLATES = """plate,mjd,fiberid,ra,dec,score,remark
266,51602,31,147.3,-0.006,0.9,x
3655,55240,262,1,2,0.5,
"""
RECORD = FetchedFileRecord(
    asked="q1", found=1, archive="sdss", release="dr17", id="0266-51602-0031", file="a.fits",
    url='https://example.org/a,"b"', bytes=4, sha256=hashlib.sha256(b"abcd").hexdigest(),
    fetched_at="2026-11-27T00:00:00+00:00",
)  # fmt: skip


@pytest.fixture
def session(tmp_path):
    with new_session(tmp_path / "s.speco3", find_task("CV"), "Ada") as made:
        yield made


def test_rows_keep_numbers_and_other_columns(tmp_path):
    first, second = rows_of_list(listed(tmp_path, PLATES))
    assert (first.wanted.number("plate"), first.wanted.number("fiberid")) == (266, 31)
    assert (first.wanted.object_id, first.wanted.ra, first.score) == ("0266-51602-0031", 147.3, 0.9)
    assert first.own["remark"] == "x" and second.wanted.line == 2
    assert len(rows_of_list(listed(tmp_path, PLATES), limit=1)) == 1


def test_columns_and_names_of_files_tell_what_is_wanted(tmp_path):
    (row,) = rows_of_list(listed(tmp_path, "obsid,ra,dec\n677503031,24.4,25.4\n"))
    assert row.wanted.number("obsid") == 677503031 and row.own["obsid"] == "677503031"
    (row,) = rows_of_list(listed(tmp_path, "TARGETID,z\n39627792213580000,0.1\n"))
    assert row.wanted.number("targetid") == 39627792213580000
    (row,) = rows_of_list(listed(tmp_path, "path,ra,dec\n/data/spec-0266-51602-0031.fits,1,2\n"))
    assert row.wanted.number("plate") == 266
    path = listed(tmp_path, "a,b,c\n1.5,2.5,star\n")
    (row,) = rows_of_list(path, {"ra": "a", "dec": "b", "object_id": "c"})
    assert (row.wanted.ra, row.wanted.dec, row.wanted.object_id) == (1.5, 2.5, "star")


def test_no_list_and_no_end_of_lines_are_refused(tmp_path):
    with pytest.raises(ImportFailed):
        rows_of_list(tmp_path / "none.csv")
    with pytest.raises(WorkbenchError, match="10,000"):
        typed_rows("1 2\n" * 10_001, "ssap")


def test_files_that_are_there_are_not_missing(tmp_path, session):
    (tmp_path / "spec-0266-51602-0031.fits").write_bytes(samples.sdss())
    names = ["spec-0266-51602-0031.fits", "spec-0266-51602-0032.fits"]
    import_list(session, listed(tmp_path, "path\n" + "\n".join(names) + "\n"))
    (row,) = missing_in_session(session)
    assert (row.candidate_id, row.wanted.number("fiberid")) == (2, 32)


def test_a_candidate_tells_what_its_list_told(tmp_path, session):
    import_list(session, listed(tmp_path, "obsid,ra,dec\n677503031,24.4,25.4\n"))
    candidate = session.candidate(1)
    row = row_of_candidate(candidate, list_roles(session)[candidate.list_id])
    assert row.wanted.number("obsid") == 677503031 and row.candidate_id == 1


def test_a_session_gets_path_and_hash(tmp_path, session):
    import_list(session, listed(tmp_path, "path,row\nmany.fits,3\nother.fits,0\n"))
    rows = missing_in_session(session)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "a.fits").write_bytes(samples.sdss())
    told = []
    session.changed.connect(told.append)
    second = FetchedRow(rows[0], replace(RECORD, file="b.fits"))
    assert keep_in_session(session, [FetchedRow(rows[0], RECORD), second], folder) == 1
    changed, other = session.candidates([1, 2])
    assert (changed.path, changed.row) == (str(folder / "a.fits"), 0)
    assert other.path.endswith("other.fits") and told[0].candidate_ids == {1}
    assert outside_folders(session) == ()
    with session.database.reading() as connection:
        hashes = connection.exec_driver_sql("SELECT file_sha256 FROM candidates").scalars().all()
    assert hashes == [RECORD.sha256, ""]


def test_rows_of_other_lists_change_nothing(tmp_path, session):
    import_list(session, listed(tmp_path, PLATES))
    (row, _) = rows_of_list(tmp_path / "list.csv")
    assert keep_in_session(session, [FetchedRow(row, RECORD)], tmp_path) == 0


# The record of fetched files.
@pytest.fixture
def kept(tmp_path):
    (tmp_path / "a.fits").write_bytes(b"abcd")
    Journal(tmp_path).add(RECORD)
    return tmp_path


def test_what_was_added_is_read_back_here_and_by_astropy(kept):
    assert Journal(kept).of_question("q1") == [RECORD]
    assert Journal(kept).of_file("a.fits") == RECORD
    assert Journal(kept).of_question("q2") == []
    Journal(kept).add(replace(RECORD, asked="q2", file="b.fits"))
    table = Table.read(kept / "fetched.ecsv", format="ascii.ecsv")
    assert list(table["file"]) == ["a.fits", "b.fits"] and table["bytes"].dtype.kind == "i"
    assert table["url"][0] == RECORD.url


def test_a_line_that_was_cut_is_dropped_and_the_next_is_whole(kept):
    path = kept / "fetched.ecsv"
    content = path.read_bytes()
    path.write_bytes(content + b'q2,1,sdss,dr17,"02')
    journal = Journal(kept)
    assert path.read_bytes() == content
    (kept / "b.fits").write_bytes(b"abcd")
    journal.add(replace(RECORD, asked="q2", file="b.fits"))
    assert [Journal(kept).of_question(each) != [] for each in ("q1", "q2")] == [True, True]


@pytest.mark.parametrize("content", [b"abce", None])
def test_a_file_that_is_gone_or_changed_is_not_there(kept, content):
    (kept / "a.fits").unlink()
    if content is not None:
        (kept / "a.fits").write_bytes(content)
    assert Journal(kept).of_question("q1") == []


def test_some_of_several_files_are_not_all(tmp_path):
    (tmp_path / "a.fits").write_bytes(b"abcd")
    Journal(tmp_path).add(replace(RECORD, found=2))
    assert Journal(tmp_path).of_question("q1") == []


@pytest.mark.parametrize("name", ["../a.fits", "/etc/passwd", "..", "", ".x", "a/b"])
def test_names_of_files_elsewhere_are_not_believed(tmp_path, name):
    Journal(tmp_path).add(replace(RECORD, file=name))
    assert Journal(tmp_path).of_file(name) is None


def test_another_file_of_that_name_is_left_alone(tmp_path):
    (tmp_path / "fetched.ecsv").write_bytes(b"my,own\ntable,1\n")
    with pytest.raises(SessionError):
        Journal(tmp_path)
    assert (tmp_path / "fetched.ecsv").read_bytes() == b"my,own\ntable,1\n"
