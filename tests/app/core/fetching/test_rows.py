"""Rows of lists, and candidates without a file, as spectra to be fetched."""

from dataclasses import replace

import pytest

from agent.tasks.catalogue import find_task
from app.core.errors import ImportFailed
from app.core.fetching.fetch_run import FetchedRow
from app.core.fetching.in_session import keep_in_session
from app.core.fetching.journal import FetchedFileRecord
from app.core.fetching.rows import missing_in_session, row_of_candidate, rows_of_list
from app.core.importing.importer import import_list
from app.core.session.session import list_roles, new_session
from app.core.session.spectra_folders import outside_folders
from tests.agent.spectra.readers import samples

PLATES = """plate,mjd,fiberid,ra,dec,score,remark
266,51602,31,147.3,-0.006,0.9,x
3655,55240,262,1,2,0.5,
"""
RECORD = FetchedFileRecord(
    asked="q", found=1, archive="sdss", release="dr17", id="0266-51602-0031", file="a.fits",
    url="u", bytes=1, sha256="ab" * 32, fetched_at="2026-11-27",
)  # fmt: skip


def listed(folder, text, name="list.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


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


def test_what_is_no_list_is_an_error(tmp_path):
    with pytest.raises(ImportFailed):
        rows_of_list(tmp_path / "none.csv")


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
