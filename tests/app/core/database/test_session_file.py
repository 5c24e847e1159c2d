"""What others do to a session's file while it is open, or before: told clearly, nothing lost."""

import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy.exc import DataError, OperationalError

from app.core.database import error_messages
from app.core.database.session_file import MAX_VALUE_BYTES
from app.core.errors import ReadOnlyError, SessionError, SessionHeldError
from app.core.session.session import open_session
from tests.app.core.sessions import ACCEPT, REJECT, in_a_thread, made


def test_a_file_moved_away_and_put_back(file_location):
    elsewhere = file_location.with_name("elsewhere")
    with made(file_location) as session:
        session.record_verdict(1, ACCEPT)
        file_location.rename(elsewhere)
        with pytest.raises(SessionError, match="moved or deleted"):
            session.record_verdict(2, ACCEPT)
        assert session.judgement(1).opinion == ACCEPT
        # Whole where it is now, should this program end here.
        with alone(elsewhere, "") as copied:
            assert rows(copied, "SELECT candidate_id FROM log") == [(1,)]
        elsewhere.rename(file_location)
        session.record_verdict(2, ACCEPT)
    with open_session(file_location, "Ada") as session:
        assert [entry.candidate_id for entry in session.history()] == [1, 2]


def test_a_file_moved_away_for_good_is_whole(file_location):
    elsewhere = file_location.with_name("elsewhere.speco3")
    with made(file_location) as session:
        session.record_verdict(1, ACCEPT)
        file_location.rename(elsewhere)
    left = file_location.with_name("night.speco3-wal")
    assert not left.exists() or left.stat().st_size == 0
    with open_session(elsewhere, "Ada") as session:
        assert session.judgement(1).opinion == ACCEPT
    made(file_location).close()


def test_a_deleted_file_is_saved_by_a_copy(file_location, tmp_path):
    copy = tmp_path / "copy.speco3"
    with made(file_location) as session:
        session.record_verdict(1, ACCEPT)
        file_location.unlink()
        with pytest.raises(SessionError, match="save a copy"):
            session.record_verdict(2, ACCEPT)
        session.database.copy_to(copy)
        with pytest.raises(SessionError, match="already exists"):
            session.database.copy_to(copy)
        with pytest.raises(SessionError, match=r"could not|opened"):
            session.database.copy_to(tmp_path / "none" / "copy.speco3")
    assert sorted(path.name for path in tmp_path.glob("*copy*")) == ["copy.speco3"]
    with open_session(copy, "Ada") as session:
        assert session.judgement(1).opinion == ACCEPT
        assert session.undo().candidate_id == 1


def test_a_file_replaced_while_a_verdict_is_written(file_location):
    """Whoever is told that it is kept finds it in the file of that name."""
    told = pytest.raises(SessionError, match="moved or deleted")
    with made(file_location) as session, told, session.database.writing():
        file_location.unlink()


def test_another_session_put_in_its_place_keeps_its_own_log(file_location, tmp_path):
    """What lies beside a file is found by name: ours must not pass for theirs, or go with it."""
    other = tmp_path / "other.speco3"
    with made(other) as theirs:
        theirs.record_verdict(3, REJECT)
        with made(file_location) as session:
            session.record_verdict(1, ACCEPT)
            for suffix in ("", "-wal"):
                subprocess.run(["cp", f"{other}{suffix}", f"{tmp_path}/new{suffix}"], check=True)
            for suffix in ("", "-wal"):
                (tmp_path / f"new{suffix}").replace(f"{file_location}{suffix}")
            with pytest.raises(SessionError, match="replaced"):
                session.record_verdict(2, ACCEPT)
    with open_session(file_location, "Ada") as session:
        assert [entry.candidate_id for entry in session.history()] == [3]


@pytest.mark.parametrize("suffixes", [("-wal",), ("-shm",), ("-wal", "-shm")])
@pytest.mark.parametrize("is_replaced", [False, True])
def test_what_lies_beside_the_file_is_taken_away(file_location, suffixes, is_replaced):
    with made(file_location) as session:
        session.record_verdict(1, ACCEPT)
        list(session.history())
        for suffix in suffixes:
            beside = file_location.with_name(file_location.name + suffix)
            beside.unlink()
            if is_replaced:
                beside.write_bytes(b"nothing we know" * 100)
        assert session.judgement(1).opinion == ACCEPT
        session.record_verdict(2, REJECT)
        # As if the program ended here, without a word.
        with alone(file_location, "-wal") as copied:
            assert rows(copied, "SELECT candidate_id FROM log") == [(1,), (2,)]
            assert rows(copied, "PRAGMA integrity_check") == [("ok",)]
        assert session.undo().candidate_id == 2
    with open_session(file_location, "Ada") as session:
        assert len(list(session.history())) == 3


def test_the_log_is_taken_away_while_others_read(file_location):
    session = made(file_location)
    with session, open_session(file_location, "Ben", read_only=True) as reader:
        session.record_verdict(1, ACCEPT)
        assert reader.judgements(1)[0].opinion == ACCEPT
        file_location.with_name(file_location.name + "-wal").unlink()
        for number in (2, 3):
            session.record_verdict(number, REJECT)
            assert reader.judgements(number)[0].opinion == REJECT


def test_the_log_is_taken_away_amid_a_reading(file_location, monkeypatch):
    monkeypatch.setattr(error_messages, "BUSY_TIMEOUT_S", 0.1)
    with made(file_location) as session:
        session.record_verdict(1, ACCEPT)
        with in_a_thread(session.database.reading, "SELECT * FROM log"):
            file_location.with_name(file_location.name + "-wal").unlink()
            with pytest.raises(SessionError, match="was deleted"):
                session.record_verdict(2, REJECT)
        session.record_verdict(2, REJECT)
        with alone(file_location, "-wal") as copied:
            assert rows(copied, "SELECT candidate_id FROM log") == [(1,), (2,)]


def test_another_program_looks_into_the_file(file_location):
    """It must find the file in use, or it takes away the log when it goes."""
    looking = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()"
    log = file_location.with_name(file_location.name + "-wal")
    with made(file_location) as session:
        session.record_verdict(1, ACCEPT)
        before = log.stat()
        open_session(file_location, "Ben", read_only=True).close()
        for _ in range(2):
            query = "SELECT count(*) FROM log"
            subprocess.run([sys.executable, "-c", looking, file_location, query], check=True)
            assert os.path.samestat(log.stat(), before)
        session.record_verdict(2, ACCEPT)
        with alone(file_location, "-wal") as copied:
            assert rows(copied, "SELECT count(*) FROM log") == [(2,)]


def test_a_session_anew_beside_the_log_of_one_that_is_gone(file_location):
    log = file_location.with_name(file_location.name + "-wal")
    log.write_bytes(b"the last verdicts of somebody")
    with pytest.raises(SessionError, match="Move it away"):
        made(file_location)
    assert log.read_bytes() == b"the last verdicts of somebody"


def test_a_file_of_two_names(file_location):
    """Each name has a log of its own: two programs would spoil the file."""
    made(file_location).close()
    other = file_location.with_name("other.speco3")
    other.hardlink_to(file_location)
    for location in (file_location, other):
        with pytest.raises(SessionError, match="hard link"):
            open_session(location, "Ada")
        open_session(location, "Ada", read_only=True).close()
    other.unlink()
    open_session(file_location, "Ada").close()


@pytest.mark.parametrize("left", [0, 4096, -4096])
@pytest.mark.parametrize("is_read_only", [False, True])
def test_a_file_cut_short_while_it_is_open(file_location, is_read_only, left):
    made(file_location, 300).close()
    with open_session(file_location, "Ada", read_only=is_read_only) as session:
        if not is_read_only:
            session.record_verdict(1, ACCEPT)
        assert session.count() == 300
        os.truncate(file_location, left if left >= 0 else file_location.stat().st_size + left)
        with pytest.raises(SessionError, match="truncated by another program"):
            session.count()  # although it is still in memory
        if not is_read_only:
            with pytest.raises(SessionError, match="truncated by another program"):
                session.record_verdict(2, ACCEPT)


@contextmanager
def alone(location, *suffixes):
    """What would be found if the program ended now. By another program: see `session_file`."""
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder) / "copied"
        for suffix in {"", *suffixes}:
            subprocess.run(["cp", f"{location}{suffix}", f"{copied}{suffix}"], check=True)
        with closing(sqlite3.connect(copied)) as connection:
            yield connection


def rows(connection, query):
    return connection.execute(query).fetchall()


def test_one_writer_and_many_readers(file_location):
    with made(file_location) as session:
        session.record_verdict(1, ACCEPT)
        with pytest.raises(SessionHeldError, match="process") as told:
            open_session(file_location, "Ben")
        assert str(os.getpid()) in told.value.holder
        with open_session(file_location, "Ben", read_only=True) as reader:
            assert reader.judgements(1)[0].opinion == ACCEPT
            session.record_verdict(2, REJECT)
            assert reader.judgements(2)[0].opinion == REJECT
            with pytest.raises(ReadOnlyError):
                reader.record_verdict(3, ACCEPT)
    open_session(file_location, "Ben").close()
    assert not list(file_location.parent.glob(".*lock"))


def test_settings_of_the_file(file_location):
    with made(file_location) as session, session.database.writing() as connection:
        wanted = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "trusted_schema": 0}
        for pragma, value in wanted.items():
            assert connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one() == value
        limit = MAX_VALUE_BYTES + 1
        with pytest.raises(DataError):
            connection.exec_driver_sql(f"SELECT zeroblob({limit})").all()
    assert file_location.read_bytes()[68:72] == b"S3O3"


def test_a_reader_leaves_nothing_behind(file_location):
    made(file_location).close()
    before = file_location.read_bytes()
    with open_session(file_location, "Ben", read_only=True) as session:
        assert session.count() == 5
        with session.database.reading() as connection, pytest.raises(OperationalError):
            connection.exec_driver_sql("DELETE FROM log")
    assert list(file_location.parent.iterdir()) == [file_location]
    assert file_location.read_bytes() == before


def test_the_last_reader_keeps_what_a_writer_left(file_location, tmp_path):
    """The writer goes first, then a reader that came before it, or after a crash."""
    copy = tmp_path / "crashed" / "night.speco3"
    copy.parent.mkdir()
    made(file_location).close()
    with open_session(file_location, "Ben", read_only=True) as reader:
        with open_session(file_location, "Ada") as session:
            session.record_verdict(1, ACCEPT)
            for suffix in ("", "-wal"):
                subprocess.run(["cp", f"{file_location}{suffix}", f"{copy}{suffix}"], check=True)
        assert reader.judgements(1)[0].opinion == ACCEPT
    assert list(tmp_path.glob("night*")) == [file_location]
    before = copy.read_bytes()
    for location in (file_location, copy):
        with open_session(location, "Ben", read_only=True) as reader:
            assert reader.judgements(1)[0].opinion == ACCEPT
    assert copy.read_bytes() == before


# Names and links under which a session lies.
@pytest.mark.parametrize(
    "name", ["a\0b.speco3", "x" * 300 + ".speco3", "loop.speco3", "none/night.speco3"]
)
def test_names_no_file_has(tmp_path, name):
    (tmp_path / "loop.speco3").symlink_to(tmp_path / "loop.speco3")
    with pytest.raises(SessionError):
        made(tmp_path / name)
    with pytest.raises(SessionError):
        open_session(tmp_path / name, "Ada")


@pytest.mark.parametrize("name", ["50% & more #1?mode=rw.speco3", "Ω 宽.speco3", "a\udcffb.speco3"])
def test_names_that_a_file_may_have(tmp_path, name):
    with made(tmp_path / name) as session:
        session.record_verdict(1, ACCEPT)
    with open_session(tmp_path / name, "Ada", read_only=True) as session:
        assert session.judgement(1).opinion == ACCEPT
    assert [path.name for path in tmp_path.glob("*.speco3")] == [name]


def test_a_link_is_held_as_what_it_leads_to(tmp_path):
    location = tmp_path / "there" / "night.speco3"
    location.parent.mkdir()
    made(location).close()
    link = tmp_path / "link.speco3"
    link.symlink_to(location)
    with open_session(link, "Ada") as session:
        with pytest.raises(SessionError, match="another program"):
            open_session(location, "Ben")
        session.record_verdict(1, ACCEPT)
        assert session.location == link
    assert [path.name for path in tmp_path.iterdir() if path.name != "there"] == ["link.speco3"]


def test_where_it_is_does_not_change_with_the_folder_we_are_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with made("night") as session:
        monkeypatch.chdir("/")
        session.record_verdict(1, ACCEPT)
    assert (tmp_path / "night.speco3").exists()
