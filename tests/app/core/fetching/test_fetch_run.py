"""Fetching into a folder: whole files or none, and on where it stopped."""

import hashlib
from dataclasses import replace

import pytest

from app.core.errors import SessionError
from app.core.fetching import fetch_run
from app.core.fetching.fetch_run import NAME, FetchRun
from app.core.fetching.rows import FetchRow
from app.services.archives import archive as archives
from tests.agent.spectra.readers import samples
from tests.app.services.archives.archive_play import (
    STARS,
    UUID,
    archive,
    play_archives,
    sparcl_record,
    ssap_reply,
)
from tests.app.services.fault_server import FAULTS

OF_TABLES = {"renamed column", "nan position", "overflow", "bad rows"}
"""Faults that only a TAP service has."""


def fetch(name, server, client, folder, wanted=None, rows=1, **options):
    run = FetchRun(archive(name, server), folder, client, **options)
    return run.run([FetchRow(wanted=wanted or STARS[name])] * rows)


def files_in(folder):
    return sorted(each.name for each in folder.iterdir() if each.name != NAME)


@pytest.mark.parametrize("name", STARS)
def test_a_file_is_fetched_and_then_there(server, client, tmp_path, name):
    play_archives(server)
    (fetched,) = fetch(name, server, client, tmp_path / "new" / "folder").fetched
    path = tmp_path / "new" / "folder" / fetched.record.file
    assert hashlib.sha256(path.read_bytes()).hexdigest() == fetched.record.sha256
    asked = len(server.asked)
    assert (fetch(name, server, client, path.parent).were_there, len(server.asked)) == (1, asked)
    assert files_in(path.parent) == [fetched.record.file]


@pytest.mark.parametrize(("name", "before"), [
    *((name, []) for name in STARS), ("sparcl", ["the search"]), ("ssap", ["the search"]),
])  # fmt: skip
@pytest.mark.parametrize("fault", sorted(set(FAULTS) - OF_TABLES))
def test_every_fault_is_a_reason_and_leaves_no_file(
    server, client, tmp_path, monkeypatch, name, before, fault
):
    monkeypatch.setattr(archives, "PATIENCE_S", 0.6 if fault == "stall" else 20.0)
    play_archives(server)
    server.faults, server.always = ["" for _ in before], fault  # none of what comes before
    report = fetch(name, server, client, tmp_path)
    (failed,) = report.failed
    assert failed.reason and not report.fetched and files_in(tmp_path) == []


@pytest.mark.parametrize(("name", "changed", "why"), [
    ("sdss", {"sdss": samples.lamost_table()}, "not of 0266-51602-0031"),
    ("sdss", {"sdss": samples.sdss(PLUG_RA=1.0, PLUG_DEC=1.0)}, "another object"),
    ("sdss", {"sdss": samples.sdss()[:9000]}, "cut short"),
    ("lamost", {"lamost": samples.lamost_table(OBSID=7)}, "not of 677503031"),
    ("lamost", {"lamost": samples.gz(samples.lamost_image())[:-20]}, "too early"),
    ("ssap", {"spectrum": samples.lamost_table(RA=25.0)}, "another object"),
    ("sparcl", {"records": [sparcl_record(ra=10.0)]}, "another object"),
    ("sparcl", {"records": [sparcl_record(flux=[1.0])]}, "no spectrum"),
    ("sparcl", {"records": [sparcl_record(ra=None, dec=float("nan"), flux=None)]}, "flux"),
])  # fmt: skip
def test_a_wrong_file_is_refused_with_its_reason(server, client, tmp_path, name, changed, why):
    play_archives(server, **changed)
    report = fetch(name, server, client, tmp_path)
    assert why in report.failed[0].reason and files_in(tmp_path) == []


def test_a_file_that_was_changed_is_fetched_again(server, client, tmp_path):
    play_archives(server)
    (fetched,) = fetch("sdss", server, client, tmp_path).fetched
    (tmp_path / fetched.record.file).write_bytes(b"changed")
    again = fetch("sdss", server, client, tmp_path)
    assert again.were_there == 0 and files_in(tmp_path) == [fetched.record.file]
    assert (tmp_path / fetched.record.file).read_bytes() == samples.sdss()


def test_a_file_of_the_user_is_not_replaced(server, client, tmp_path):
    play_archives(server)
    own = tmp_path / "spec-0266-51602-0031.fits"
    own.write_bytes(b"mine")
    (fetched,) = fetch("sdss", server, client, tmp_path).fetched
    assert own.read_bytes() == b"mine" and fetched.record.file == "spec-0266-51602-0031-2.fits"


def test_all_spectra_of_a_place_are_fetched_if_wanted(server, client, tmp_path):
    others = [UUID.replace("6", str(digit)) for digit in (7, 8)]
    play_archives(server, records=[sparcl_record(sparcl_id=each) for each in (UUID, *others)])
    wanted = replace(STARS["sparcl"], ids={})
    assert len(fetch("sparcl", server, client, tmp_path / "a", wanted).fetched) == 1
    report = fetch("sparcl", server, client, tmp_path / "b", wanted, take_all=True)
    assert len(report.fetched) == 3 == len(files_in(tmp_path / "b"))
    assert fetch("sparcl", server, client, tmp_path / "b", wanted, take_all=True).were_there == 3


def test_an_archive_that_is_down_is_left_alone_after_a_while(server, client, tmp_path):
    server.always = "refused"
    report = fetch("sdss", server, client, tmp_path, rows=50)
    assert len(report.failed) == fetch_run.FAILED_IN_A_ROW and report.left == 30
    assert report.gave_up and len(server.asked) == 20


def test_a_stop_keeps_what_was_fetched(server, client, tmp_path):
    play_archives(server)
    rows = [FetchRow(wanted=STARS["sdss"])] * 3
    run = FetchRun(archive("sdss", server), tmp_path, client)
    report = run.run(rows, should_stop=lambda: bool(files_in(tmp_path)))
    assert report.is_stopped and (len(report.fetched), report.left) == (1, 2)


def test_a_row_that_says_too_little_is_not_asked_about_and_a_folder_must_be_made(
    server, client, tmp_path
):
    report = fetch("sdss", server, client, tmp_path, replace(STARS["sdss"], ids={}, ra=None))
    assert "plate" in report.failed[0].reason and not server.asked
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(SessionError):
        fetch("sdss", server, client, tmp_path / "file")


def test_links_in_the_folder_are_not_written_through(server, client, tmp_path):
    play_archives(server)
    other = tmp_path / "other"
    other.write_bytes(b"kept")
    folder = tmp_path / "spectra"
    folder.mkdir()
    (folder / "spec-0266-51602-0031.fits").symlink_to(other)
    fetch("sdss", server, client, folder)
    assert other.read_bytes() == b"kept"


def test_an_address_on_the_way_is_refused(server, client, tmp_path):
    server.answer = lambda path, fields: (ssap_reply([("file:///etc/passwd", 24.3, 25.4)]), "x/y")
    report = fetch("ssap", server, client, tmp_path, radius_arcsec=600.0)
    assert "no web address" in report.failed[0].reason
