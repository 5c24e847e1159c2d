"""Who waits for whom, and for how long, where many use a session at once."""

from __future__ import annotations

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import insert

from app.core.database import error_messages
from app.core.database.tables import facts
from app.core.errors import SessionError
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.app.core.sessions import made
from tests.processes import LONG_S, wait_until

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
            assert leave.wait(LONG_S)
            connection.execute(insert(facts), [{"key": "late", "value": "but there"}])

    def end():
        ending.set()
        session.close()

    ending = threading.Event()
    with ThreadPoolExecutor(2) as pool:
        writer = pool.submit(work)
        assert inside.wait(LONG_S)
        closer = pool.submit(end)
        assert ending.wait(LONG_S)
        assert not closer.done()
        leave.set()
        writer.result(LONG_S)
        closer.result(LONG_S)
    with open_session(location, "Ada") as again:
        assert again.fact("late") == "but there"


def test_its_own_block_does_not_keep_it_from_ending(file_location, monkeypatch):
    monkeypatch.setattr(error_messages, "BUSY_TIMEOUT_S", 3600.0)
    session = made(file_location)
    with session.database.reading():
        session.close()
    open_session(file_location, "Ben").close()


def test_a_thread_that_writes_for_long(location, impatient):
    with made(location) as session:
        inside, leave = threading.Event(), threading.Event()

        def work():
            with session.database.writing():
                inside.set()
                assert leave.wait(LONG_S)

        with ThreadPoolExecutor(1) as pool:
            writer = pool.submit(work)
            assert inside.wait(LONG_S)
            assert session.count() == 5
            with pytest.raises(SessionError, match="still writing"):
                session.record_verdict(1, ACCEPT)
            leave.set()
            writer.result()
        session.record_verdict(1, ACCEPT)


def test_a_verdict_waits_for_no_more_than_who_asked_before(file_location):
    with made(file_location) as session:
        blocks, stop = itertools.count(1), threading.Event()
        latest, before = [0], [0]

        class Queue(list):
            """Notes how much had been written when this thread asked for its turn."""

            def insert(self, place, turn):
                if threading.current_thread() is threading.main_thread():
                    before[0] = latest[0]
                super().insert(place, turn)

        session.database._writers = Queue()

        def work():
            while not stop.is_set():
                with session.database.writing():
                    latest[0] = next(blocks)

        with ThreadPoolExecutor(2) as pool:
            writers = [pool.submit(work) for _ in range(2)]
            waited = []
            for _ in range(50):
                with session.database.writing():
                    waited.append(latest[0] - before[0])
            stop.set()
            for writer in writers:
                writer.result()
        assert 1 <= max(waited) <= 2, waited


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
            end.result(LONG_S)
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
        inside = threading.Barrier(33, timeout=LONG_S)

        def work(_):
            with session.database.reading():
                inside.wait()
                assert leave.wait(LONG_S)

        with ThreadPoolExecutor(32) as pool:
            readers = [pool.submit(work, number) for number in range(32)]
            inside.wait()
            with pytest.raises(SessionError, match="too many readers"):
                session.count()
            leave.set()
            for reader in readers:
                reader.result()
        assert session.count() == 5
