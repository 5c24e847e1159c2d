"""Errors of the database are reported as SessionErrors that say what to do."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from app.core.database import error_messages
from app.core.errors import SessionError
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.app.core.sessions import made
from tests.processes import LONG_S, wait_until

ACCEPT, REJECT, UNSURE = (Opinion(verdict=verdict) for verdict in Verdict)


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(error_messages, "BUSY_TIMEOUT_S", 0.3)


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
