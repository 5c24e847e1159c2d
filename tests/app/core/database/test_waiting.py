"""Who waits for whom, and for how long, where many use a session at once."""

from __future__ import annotations

import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import insert

from app.core.database import error_messages
from app.core.database.tables import facts
from app.core.errors import SessionError
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.app.core.sessions import made
from tests.processes import wait_until

ACCEPT = Opinion(verdict=Verdict.ACCEPT)
PATIENCE_S = 0.3


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(error_messages, "BUSY_TIMEOUT_S", PATIENCE_S)


def test_the_end_waits_for_those_who_write(location):
    session = made(location)
    inside, leave = threading.Event(), threading.Event()

    def work():
        with session.database.writing() as connection:
            inside.set()
            assert leave.wait(60)
            connection.execute(insert(facts), [{"key": "late", "value": "but there"}])

    def end():
        ending.set()
        session.close()

    ending = threading.Event()
    with ThreadPoolExecutor(2) as pool:
        writer = pool.submit(work)
        assert inside.wait(60)
        closer = pool.submit(end)
        assert ending.wait(60)
        assert not closer.done()
        leave.set()
        writer.result(60)
        closer.result(60)
    with open_session(location, "Ada") as again:
        assert again.fact("late") == "but there"


def test_its_own_block_does_not_keep_it_from_ending(file_location):
    session = made(file_location)
    started = time.monotonic()
    with session.database.reading():
        session.close()
    assert time.monotonic() - started < 5
    open_session(file_location, "Ben").close()


def test_a_thread_that_writes_for_long(location, impatient):
    with made(location) as session:
        inside, leave = threading.Event(), threading.Event()

        def work():
            with session.database.writing():
                inside.set()
                assert leave.wait(60)

        with ThreadPoolExecutor(1) as pool:
            writer = pool.submit(work)
            assert inside.wait(60)
            assert session.count() == 5
            with pytest.raises(SessionError, match="still writing"):
                session.record_verdict(1, ACCEPT)
            leave.set()
            writer.result()
        session.record_verdict(1, ACCEPT)


def test_a_verdict_waits_for_no_more_than_who_asked_before(file_location):
    with made(file_location) as session:
        blocks, stop = itertools.count(1), threading.Event()
        latest = [0]

        def work():
            while not stop.is_set():
                with session.database.writing():
                    latest[0] = next(blocks)

        with ThreadPoolExecutor(2) as pool:
            writers = [pool.submit(work) for _ in range(2)]
            waited = []
            for _ in range(50):
                before = latest[0]
                with session.database.writing():
                    waited.append(latest[0] - before)
            stop.set()
            for writer in writers:
                writer.result()
        # Two that were queued; now and then some more ended before we were in the queue.
        assert sum(1 <= each <= 3 for each in waited) > 40, waited


def test_what_a_person_waits_for_goes_before_those_who_wait(file_location):
    with made(file_location) as session, ThreadPoolExecutor(3) as pool:
        queue, order = session.database._writers, []

        def work(name, goes_first):
            with session.database.writing(goes_first=goes_first):
                order.append(name)

        with session.database.writing():
            ends = []
            for name in ("first", "second", "person"):
                ends.append(pool.submit(work, name, name == "person"))
                wait_until(lambda: len(queue) == 1 + len(ends))
        for end in ends:
            end.result(60)
    assert order == ["person", "first", "second"]


def test_an_opinion_goes_first(file_location, monkeypatch):
    with made(file_location) as session:
        asked, writing = [], session.database.writing
        monkeypatch.setattr(
            session.database, "writing", lambda **how: asked.append(how) or writing(**how)
        )
        session.record_verdict(1, ACCEPT)
    assert asked == [{"goes_first": True}]


def test_more_readers_than_there_is_room_for(file_location, impatient):
    with made(file_location) as session:
        leave = threading.Event()
        inside = threading.Barrier(33, timeout=60)

        def work(_):
            with session.database.reading():
                inside.wait()
                assert leave.wait(60)

        with ThreadPoolExecutor(32) as pool:
            readers = [pool.submit(work, number) for number in range(32)]
            inside.wait()
            with pytest.raises(SessionError, match="too many readers"):
                session.count()
            leave.set()
            for reader in readers:
                reader.result()
        assert session.count() == 5
