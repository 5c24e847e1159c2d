"""The record of fetched files."""

import hashlib
from dataclasses import replace

import pytest
from astropy.table import Table

from app.core.errors import SessionError
from app.core.fetching.journal import FetchedFileRecord, Journal

RECORD = FetchedFileRecord(
    asked="q1", found=1, archive="sdss", release="dr17", id="0266-51602-0031", file="a.fits",
    url='https://example.org/a,"b"', bytes=4, sha256=hashlib.sha256(b"abcd").hexdigest(),
    fetched_at="2026-11-27T00:00:00+00:00",
)  # fmt: skip


@pytest.fixture
def kept(tmp_path):
    (tmp_path / "a.fits").write_bytes(b"abcd")
    Journal(tmp_path).add(RECORD)
    return tmp_path


def test_what_was_added_is_read_back_here_and_by_astropy(kept):
    assert Journal(kept).of_question("q1") == [RECORD]
    assert Journal(kept).of_file("a.fits") == RECORD and Journal(kept).of_question("q2") == []
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
