"""Units of work: of several threads, within one another, after the end; and whole copies."""

import gc
import itertools
import random
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import insert, select

from app.core.database import error_messages
from app.core.database.tables import facts, log
from app.core.errors import SessionError
from app.core.session.session import open_session
from tests.app.core.session.kept_lines import held, held_by
from tests.app.core.session.recorder import line_of, press
from tests.app.core.sessions import ACCEPT, fill, in_a_thread, made
from tests.processes import LONG_S, wait_until


def test_threads_that_write_and_read_at_once(location):
    """Every line is there once, and what is held follows from the log."""
    with made(location, 20) as session:
        told = []

        def work(seed):
            chance = random.Random(seed)
            for _ in range(25):
                entry = press(session, chance, 0.4)
                if entry is not None:
                    told.append((entry.id, line_of(entry)))
                assert len(session.judgements(chance.randint(1, 20))) <= 1
                assert session.count() == 20

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(work, range(6)))
        lines = {entry.id: line_of(entry) for entry in session.history()}
        assert len(told) == len(lines)
        assert dict(told) == lines
        assert held_by(lines) == held(session)


def test_history_is_read_while_lines_come(location, monkeypatch):
    monkeypatch.setattr("app.core.session.verdict_log.PAGE", 7)
    with made(location, 20) as session:
        chance = random.Random(5)
        for _ in range(10):
            press(session, chance, 0)
        seen = []
        for entry in session.history():
            seen.append(entry.id)
            if len(seen) < 40:
                press(session, chance, 0.3)
        assert seen == [entry.id for entry in session.history()]
        assert len(seen) > 20


def test_a_reader_sees_one_moment_and_kept_results_hold_nothing_back(location):
    with made(location) as session:
        with session.database.reading() as connection:
            before = connection.execute(select(log)).all()
            with ThreadPoolExecutor(1) as pool:
                pool.submit(session.record_verdict, 1, ACCEPT).result()
            assert connection.execute(select(log)).all() == before == []
            assert list(session.history()) == []
        assert len(list(session.history())) == 1
        kept = []
        for number in range(1, 5):
            with session.database.reading() as connection:
                result = connection.execute(select(facts))
                result.fetchone()
                kept.append(result)
            session.record_verdict(number, ACCEPT)
            assert session.judgement(number) is not None
    if hasattr(location, "parent"):
        assert [path.name for path in location.parent.glob("night*")] == [location.name]


def test_blocks_within_blocks(location):
    with made(location) as session:
        with session.database.writing() as connection:
            connection.execute(insert(facts), [{"key": "colour", "value": "green"}])
            with session.database.reading() as again:
                found = again.execute(select(facts.c.value).where(facts.c.key == "colour"))
                assert found.scalar() == "green"
            with pytest.raises(RuntimeError, match="cannot be nested"):
                session.record_verdict(1, ACCEPT)
        with session.database.reading() as connection:
            assert connection.execute(select(log)).all() == []
            session.record_verdict(2, ACCEPT)
            assert connection.execute(select(log)).all() == []
        assert session.judgement(2).opinion == ACCEPT


def test_a_block_that_fails_or_only_reads_writes_nothing(location):
    with made(location) as session:
        with pytest.raises(ZeroDivisionError), session.database.writing() as connection:
            connection.execute(insert(facts), [{"key": "colour", "value": "green"}])
            1 / 0  # noqa: B018
        told = pytest.raises(SessionError, match="contradicts")
        with told, session.database.writing() as connection:
            connection.execute(insert(facts), [{"key": "colour", "value": "green"}])
            connection.execute(insert(facts), [{"key": "colour", "value": "red"}])
        with session.database.reading() as connection:
            found = connection.execute(select(facts.c.value).where(facts.c.key == "colour"))
            assert found.scalar() is None
        session.record_verdict(1, ACCEPT)
        with pytest.raises(SessionError), session.database.reading() as connection:
            connection.execute(insert(facts), [{"key": "colour", "value": "green"}])
        with session.database.reading() as connection:
            assert connection.execute(select(facts).where(facts.c.key == "colour")).all() == []


def test_after_its_end(location):
    session = made(location)
    session.record_verdict(1, ACCEPT)
    session.close()
    session.close()
    for use in (session.count, session.undo, lambda: session.record_verdict(2, ACCEPT)):
        with pytest.raises(SessionError, match="is closed"):
            use()


def test_a_whole_copy_while_others_read_and_write(file_location, tmp_path):
    with made(file_location, 3000) as session:
        session.record_verdict(1, ACCEPT)
        with session.database.reading():
            session.database.copy_to(tmp_path / "copy.speco3")
        session.record_verdict(2, ACCEPT)
        with pytest.raises(SessionError, match="already exists"):
            session.database.copy_to(file_location)
    with open_session(tmp_path / "copy.speco3", "Ada", read_only=True) as copied:
        assert copied.count() == 3000
        assert [entry.candidate_id for entry in copied.history()] == [1]
        copied.database.copy_to(tmp_path / "again.speco3")
    with open_session(tmp_path / "again.speco3", "Ada") as again:
        assert len(list(again.history())) == 1


def test_nothing_is_left_open(file_location):
    """Connections that nobody closes warn when they go, which fails a test."""
    for _ in range(3):
        is_new = not file_location.exists()
        session = made(file_location) if is_new else open_session(file_location, "Ada")
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _, session=session: session.count(), range(8)))
        session.close()
        with pytest.raises(SessionError):
            made(file_location)
        with pytest.raises(SessionError):
            open_session(file_location.with_name("none.speco3"), "Ada")
    gc.collect()
    if sys.platform == "linux":
        numbers = Path("/proc/self/fd").iterdir()
        names = [str(number.readlink()) for number in numbers if number.is_symlink()]
        assert not [name for name in names if str(file_location) in name]


def test_many_candidates_and_reviewers(location):
    """Each reviewer has a bit; the last of them the highest there is."""
    with fill(made(location, 3), 0) as session:
        for number in range(60):
            session.reviewer = f"reviewer {number}"
            session.record_verdict(number % 3 + 1, ACCEPT)
        session.reviewer = "one too many"
        with pytest.raises(SessionError, match="at most 60"):
            session.record_verdict(1, ACCEPT)
        session.reviewer = "reviewer 59"
        assert session.reviewer_number == 60
        session.undo()
        with session.database.reading() as connection:
            masks = connection.exec_driver_sql("SELECT judged_by FROM candidates").scalars().all()
        assert sum(mask.bit_count() for mask in masks) == 59
        assert not any(mask >> 59 & 1 for mask in masks)


# Who waits for whom, and for how long, where many use a session at once.
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
        with in_a_thread(session.database.writing):
            assert session.count() == 5
            with pytest.raises(SessionError, match="still writing"):
                session.record_verdict(1, ACCEPT)
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

        def work(name, urgent):
            with session.database.writing(urgent=urgent):
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
    assert asked == [{"urgent": True}]


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
