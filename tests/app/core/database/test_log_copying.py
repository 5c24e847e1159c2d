"""Who copies the WAL into the file: not the commit that a person waits for."""

from __future__ import annotations

import pytest

from app.core.database import session_file
from app.core.database.file_opening import side_file
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.app.core.sessions import made

ACCEPT, REJECT, _ = (Opinion(verdict=verdict) for verdict in Verdict)


@pytest.fixture(autouse=True)
def short_log(monkeypatch):
    monkeypatch.setattr(session_file, "LOG_PAGES", 1)


def judge(session, times):
    for number in range(times):
        session.record_verdict(1, REJECT if number % 2 else ACCEPT)


def test_a_person_leaves_it_to_the_next_writer(file_location):
    with made(file_location) as session:
        log = side_file(file_location, "-wal")
        with session.database.writing():
            pass
        session.database.tidy()
        before = file_location.stat().st_mtime_ns
        judge(session, 20)
        assert file_location.stat().st_mtime_ns == before  # all of it is in the WAL
        session.set_fact("of", "another writer")
        assert file_location.stat().st_mtime_ns > before
        size = log.stat().st_size
        judge(session, 1)
        assert log.stat().st_size == size  # written from its start again
    with open_session(file_location, "Ada") as session:
        assert len(list(session.history())) == 21


def test_tidied_beside_an_open_reader(file_location):
    with made(file_location) as session:
        with session.database.reading():
            before = file_location.stat().st_mtime_ns
            judge(session, 4)
            session.database.tidy()
            assert file_location.stat().st_mtime_ns > before
        judge(session, 1)
        assert len(list(session.history())) == 5


def test_a_person_alone_does_not_fill_the_disk(file_location, monkeypatch):
    monkeypatch.setattr(session_file, "LOG_PAGES_OF_A_PERSON", 40)
    with made(file_location) as session:
        judge(session, 60)
        assert side_file(file_location, "-wal").stat().st_size < 2 * 40 * 4096 + 100_000


def test_nothing_to_tidy(location):
    session = made(location)
    session.database.tidy()
    session.close()
    session.database.tidy()  # closed: nothing is done, and nothing is raised
