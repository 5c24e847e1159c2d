"""Where there is no room a session says so, and loses nothing acknowledged."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from app.core.errors import SessionError
from app.core.exporting import export
from app.core.exporting.log_file import write_log
from app.core.session.session import open_session
from app.core.spectra.packing import pack
from tests.app.core.session.full_disk import full_disk, until_refused
from tests.app.core.session.kept_lines import check
from tests.app.core.session.recorder import CANDIDATES, line_of
from tests.app.core.sessions import ACCEPT, REJECT, UNSURE, change, made

__all__ = ["full_disk"]


def test_a_full_disk_is_read_from_and_named(full_disk, tmp_path):
    """There is no room for the files that SQLite keeps beside a session."""
    folder, leave = full_disk
    location = folder / "night.speco3"
    with made(location, CANDIDATES) as session:
        session.record_verdict(1, ACCEPT)
    leave(0)
    with open_session(location, "Ben", read_only=True) as session:
        assert session.judgements(1)[0].opinion == ACCEPT
        assert export(session, tmp_path / "out.csv").rows == 1
        assert pack(session, tmp_path / "packed.speco3").candidates == CANDIDATES
        for write, name in ((export, "out.csv"), (write_log, "log.csv"), (pack, "out.speco3")):
            with pytest.raises(SessionError, match="the disk is full"):
                write(session, folder / name)
    with pytest.raises(SessionError, match="the disk is full"):
        open_session(location, "Ada")
    assert {path.name for path in folder.iterdir()} <= {location.name, "ballast", *SIDE_FILES}


SIDE_FILES = ("night.speco3-wal", "night.speco3-shm")


@pytest.mark.parametrize("free", [0, 8192, 50_000])
def test_a_full_disk(full_disk, free):
    folder, leave = full_disk
    location = folder / "night.speco3"
    with made(location, CANDIDATES) as session:
        first = session.record_verdict(1, ACCEPT)
        leave(free)
        assert "disk is full" in str(until_refused(session).value)
        lines = list(session.history())
        assert first in lines
        leave(None)
        assert session.record_verdict(2, REJECT) is not None
        assert list(session.history())[:-1] == lines
        kept = {entry.id: line_of(entry) for entry in session.history()}
    check(location, kept)


@pytest.mark.parametrize("free", [0, 4096, 40_000, 120_000])
def test_a_disk_too_full_for_a_new_session(full_disk, free):
    folder, leave = full_disk
    leave(free)
    with pytest.raises(SessionError, match=r"disk|opened"):
        made(folder / "night.speco3")
    assert [path.name for path in folder.iterdir()] == ["ballast"]


def test_a_full_disk_while_opening(full_disk):
    folder, leave = full_disk
    location = folder / "night.speco3"
    made(location).close()
    leave(0)
    with pytest.raises(SessionError, match=r"disk|opened"):
        open_session(location, "Ada")
    leave(None)
    open_session(location, "Ada").close()


def test_a_file_that_may_not_grow(children, file_location):
    """As on a disk with a quota: the write fails half done."""
    made(file_location, CANDIDATES).close()
    children.order("record", file_location, seed=1, file_size=300_000, checkpoint=100_000)
    said = children.until_over()
    kept = {line[1]: line[2] for line in said if line[0] == "kept"}
    (told,) = (line[2] for line in said if line[0] == "refused")
    assert "disk" in told
    assert said[-1] == ["over", 0]
    check(file_location, kept)


def test_no_room_by_the_database_s_own_count(file_location):
    with made(file_location, CANDIDATES) as session:
        with session.database.writing() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 4}")
        assert "disk is full" in str(until_refused(session).value)
        kept = {entry.id: line_of(entry) for entry in session.history()}
        change(session, "PRAGMA max_page_count = 100000")
        session.record_verdict(1, UNSURE)
    check(file_location, kept)


# Sessions that may not be written: files and folders of others.
@pytest.fixture
def open_folder():
    """Where another user can go."""
    folder = Path(tempfile.mkdtemp(prefix="spec-o3-"))
    folder.chmod(0o777)
    yield folder
    folder.chmod(0o777)
    shutil.rmtree(folder)


@pytest.mark.parametrize("what", ["folder", "file"])
def test_what_may_not_be_written(children, open_folder, what):
    location = open_folder / "night.speco3"
    made(location).close()
    (location if what == "file" else open_folder).chmod(0o444 if what == "file" else 0o555)
    nobody = {"uid": 65534} if os.getuid() == 0 else {}
    children.order("open", location, read_only=False, **nobody)
    (_, (verb, kind, told), _) = children.until_over()
    assert (verb, kind) == ("refused", "SessionError")
    assert "not writable" in told
    children.order("open", location, read_only=True, **nobody)
    assert ["open", 5] in children.until_over()
    assert sorted(path.name for path in open_folder.iterdir())[0] == "night.speco3"


def test_what_may_not_be_written_and_was_never_finished(children, open_folder):
    """SQLite has no room for what it needs to read the log that a crash has left."""
    location = open_folder / "night.speco3"
    with made(location) as session:
        session.record_verdict(1, ACCEPT)
        subprocess.run(["cp", f"{location}-wal", open_folder / "kept"], check=True)
    (open_folder / "kept").replace(f"{location}-wal")
    open_folder.chmod(0o555)
    nobody = {"uid": 65534} if os.getuid() == 0 else {}
    children.order("open", location, read_only=True, **nobody)
    (_, (verb, kind, told), _) = children.until_over()
    assert (verb, kind) == ("refused", "SessionError")
    assert "copy it together with night.speco3-wal" in told


def test_another_user_s_session_is_told_as_held(children, open_folder):
    if os.getuid() != 0:
        pytest.skip("only root can be two users")
    location = open_folder / "night.speco3"
    with made(location):
        location.chmod(0o666)
        children.order("open", location, read_only=False, uid=65534)
        (_, (_, kind, told), _) = children.until_over()
        assert (kind, f"process {os.getpid()}" in told) == ("SessionHeldError", True)
