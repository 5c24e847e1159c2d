"""Files that are not sessions, or are damaged, are refused before SQLite reads them."""

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from app.core.database import error_messages
from app.core.database.locations import shown_location
from app.core.errors import SessionError
from app.core.session.records import Opinion
from app.core.session.session import open_session
from tests.app.core.sessions import ACCEPT, made
from tests.processes import LONG_S, wait_until


def test_a_backup_put_beside_the_log_of_another(file_location, tmp_path):
    """After a crash the log is waiting; what it would be copied into is not what it was for."""
    backup = tmp_path / "backup.speco3"
    made(backup, 300).close()
    crashed = tmp_path / "crashed.speco3"
    with made(file_location, 200) as session:
        for number in range(1, 200):
            session.record_verdict(number, ACCEPT)
        subprocess.run(["cp", f"{file_location}-wal", f"{crashed}-wal"], check=True)
    backup.replace(crashed)
    before = [Path(f"{crashed}{suffix}").read_bytes() for suffix in ("", "-wal")]
    with pytest.raises(SessionError, match="Nothing was changed"):
        open_session(crashed, "Ada")
    assert [Path(f"{crashed}{suffix}").read_bytes() for suffix in ("", "-wal")] == before
    Path(f"{crashed}-wal").unlink()
    open_session(crashed, "Ada").close()


@pytest.mark.parametrize("share", [0, 0.001, 0.02, 0.3, 0.6, 0.9, 0.999])
def test_a_file_cut_short(file_location, share):
    made(file_location, 300).close()
    whole = file_location.read_bytes()
    file_location.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(SessionError):
        open_session(file_location, "Ada")
    assert len(file_location.read_bytes()) == int(len(whole) * share)


def test_an_empty_file_and_one_without_its_facts(file_location):
    """As somebody leaves them who was killed while they were made: what to do is said."""
    file_location.write_bytes(b"")
    with pytest.raises(SessionError, match=r"is empty: its creation was interrupted\. Delete it"):
        open_session(file_location, "Ada")
    file_location.unlink()
    made(file_location, 0).close()
    with closing(sqlite3.connect(file_location)) as connection:
        connection.execute("DELETE FROM facts WHERE key <> 'tables'")
        connection.commit()
    with pytest.raises(SessionError, match="its creation was interrupted"):
        open_session(file_location, "Ada", read_only=True)


def test_what_is_no_session_is_refused(tmp_path):
    other = tmp_path / "other.speco3"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE facts (a)")
    connection.close()
    text = tmp_path / "text.speco3"
    text.write_text("hello")
    for path, told in (
        (other, "another program"), (text, "not a session"), (tmp_path, "is not a file"),
    ):  # fmt: skip
        with pytest.raises(SessionError, match=told):
            open_session(path, "Ada")
    with pytest.raises(SessionError, match="does not exist"):
        open_session(tmp_path / "none.speco3", "Ada")


# Errors of the database are reported as SessionErrors that say what to do.
def test_what_no_database_takes(location):
    with made(location) as session:
        for use in [
            lambda session: session.record_verdict(1, Opinion(comment="\ud83c")),
            lambda session: session.record_verdict(1, Opinion(flags=("\udfff",))),
            lambda session: session.set_fact("half", "\ud83c"),
            lambda session: session.candidate(2**70),
            lambda session: session.record_verdict(2**70, ACCEPT),
            lambda session: session.record_verdict(-1, ACCEPT),
        ]:
            with pytest.raises(SessionError):
                use(session)
            assert list(session.history()) == []
        session.record_verdict(1, ACCEPT)


def test_a_foreign_program_that_writes_is_told(file_location, impatient):
    with made(file_location) as session:
        session.record_verdict(1, ACCEPT)
        with locked_by_another(file_location):
            with pytest.raises(SessionError, match="another program is writing"):
                session.record_verdict(2, ACCEPT)
            assert session.judgement(1).opinion == ACCEPT
        session.record_verdict(2, ACCEPT)
        assert [entry.candidate_id for entry in session.history()] == [1, 2]


def test_a_foreign_program_that_writes_or_shuts_others_out_while_it_is_opened(
    file_location, impatient
):
    made(file_location).close()
    with locked_by_another(file_location):
        with pytest.raises(SessionError, match="another program is writing"):
            open_session(file_location, "Ada")
        assert not list(file_location.parent.glob(".*lock"))
    open_session(file_location, "Ada").close()
    with locked_by_another(file_location, "PRAGMA locking_mode = EXCLUSIVE"):
        for read_only in (False, True):
            with pytest.raises(SessionError, match="another program"):
                open_session(file_location, "Ada", read_only=read_only)


def test_a_foreign_program_is_waited_for_and_readers_go_on(file_location, monkeypatch):
    monkeypatch.setattr(error_messages, "BUSY_TIMEOUT_S", LONG_S)
    with (
        made(file_location) as session,
        locked_by_another(file_location) as let_go,
        ThreadPoolExecutor(1) as pool,
    ):
        writing = pool.submit(session.record_verdict, 2, ACCEPT)
        wait_until(lambda: session.database._writers)
        for _ in range(50):
            assert session.judgement(2) is None
        assert not writing.done()
        let_go()
        assert writing.result(LONG_S) is not None


@contextmanager
def locked_by_another(location, first="PRAGMA no_such_thing"):
    """Another program that writes for long; what is yielded lets it stop."""
    code = (
        "import sqlite3, sys\n"
        "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "connection.execute(sys.argv[2])\n"
        "connection.execute('BEGIN IMMEDIATE')\n"
        "connection.execute('UPDATE candidates SET fault = 1')\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, location, first], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        try:
            assert other.stdout.readline() == b"locked\n"
            yield other.stdin.close
        finally:
            other.stdin.close()
            other.wait(LONG_S)


# Passwords and keys never get into what is shown of a location.
@pytest.mark.parametrize(("location", "shown"), [
    (Path("/home/ada/a://b:c@d.speco3"), "/home/ada/a:/b:c@d.speco3"),
    ("/home/ada/night.speco3", "/home/ada/night.speco3"),
    ("postgresql://host/night", "postgresql://host/night"),
    ("postgresql://ada@host:5432/night", "postgresql://ada@host:5432/night"),
    ("postgresql://ada:geheim@host/night", "postgresql://ada@host/night"),
    ("postgresql+psycopg://ada:geheim@host/x", "postgresql+psycopg://ada@host/x"),
    ("postgresql://ada:ge/he?i#m@host/night", "postgresql://ada@host/night"),
    ("postgresql://ada:ge@hei:m@host/night", "postgresql://ada@host/night"),
    ("postgresql://:geheim@host/night", "postgresql://host/night"),
    ("postgresql://ada@/x?host=/tmp&password=geheim", "postgresql://ada@/x?host=/tmp"),
    ("postgresql://h/x?sslpassword=geheim&PassWord=geheim", "postgresql://h/x"),
    ("https://geheim@host/v1#model", "https://host/v1#model"),
    ("https://ada:geheim@host/v1", "https://host/v1"),
    ("https://host/v1?key=geheim&api-version=2#m", "https://host/v1?api-version=2#m"),
    ("HTTPS://host/v1?ACCESS_TOKEN=geheim", "HTTPS://host/v1"),
])  # fmt: skip
def test_a_location_is_shown_without_its_secrets(location, shown):
    assert shown_location(location) == shown
    assert "geheim" not in shown


@pytest.mark.parametrize("text", ["", "://", "a://", "://@", "x://:@", "a://?#&=", "a" * 100_000])
def test_anything_can_be_shown(text):
    assert isinstance(shown_location(text), str)
