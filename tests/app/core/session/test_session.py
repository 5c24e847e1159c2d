"""A session on disk: verdicts kept, undone, done again; one writer; nothing but sessions opened."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys

import pytest
from sqlalchemy import update

from agent.tasks.catalogue import find_task
from app.core.database.database import Database
from app.core.database.tables import lists
from app.core.errors import ReadOnlyError, SessionError, SessionHeldError
from app.core.session.records import Change, Opinion, Verdict
from app.core.session.session import list_roles, new_session, open_session
from tests.app.core.sessions import fill, made
from tests.app.ui.candidates import take_sample
from tests.night import seeds

ACCEPT, REJECT, UNSURE = (Opinion(verdict=verdict) for verdict in Verdict)


def verdicts(session):
    found = (session.judgement(number) for number in range(1, session.count() + 1))
    return [None if each is None else each.opinion.verdict for each in found]


def test_a_verdict_is_there_after_a_restart(place):
    full = Opinion(
        verdict=Verdict.ACCEPT, confidence=3, flags=("variable",), comment="Hα 宽 \U0001f31f"
    )
    with made(place) as session:
        entry = session.record_verdict(2, full, seconds=4.5, shown={"verdict": "YES"})
        assert (entry.candidate_id, entry.action, entry.reviewer) == (2, "set", "Ada")
        identity = session.id
    with open_session(place, "Ada") as session:
        held = session.judgement(2)
        assert held.opinion == full
        assert session.judgement(1) is None
        (line,) = session.history()
        assert line == entry
        assert (line.seconds, dict(line.shown)) == (4.5, {"verdict": "YES"})
        assert session.id == identity
        assert session.task == find_task("CV")


def test_the_same_opinion_again_is_no_news(place):
    with made(place) as session:
        told: list[Change] = []
        session.changed.connect(told.append)
        assert session.record_verdict(1, ACCEPT) is not None
        assert session.record_verdict(1, ACCEPT) is None
        assert [change.candidate_ids for change in told] == [{1}]
        assert len(list(session.history())) == 1


def test_undo_and_redo_across_a_restart(place):
    with made(place) as session:
        for number, opinion in ((1, ACCEPT), (2, REJECT), (1, UNSURE)):
            session.record_verdict(number, opinion)
    with open_session(place, "Ada") as session:
        assert verdicts(session)[:2] == ["UNSURE", "REJECT"]
        assert session.undo().candidate_id == 1
        assert verdicts(session)[:2] == ["ACCEPT", "REJECT"]
        assert session.undo().candidate_id == 2
        assert verdicts(session)[:2] == ["ACCEPT", None]
    with open_session(place, "Ada") as session:
        assert session.redo().opinion == REJECT
        assert session.undo().opinion == Opinion()
        assert session.undo().candidate_id == 1
        assert session.undo() is None
        assert verdicts(session) == [None] * 5
        session.redo()
        session.record_verdict(3, REJECT)
        assert session.redo() is None
        assert verdicts(session) == ["ACCEPT", None, "REJECT", None, None]


def test_reviewers_do_not_undo_one_another(place):
    with made(place, reviewer="Ada") as session:
        session.record_verdict(1, ACCEPT)
    with open_session(place, "Ben") as session:
        session.record_verdict(1, REJECT)
        assert session.undo().reviewer == "Ben"
        assert session.undo() is None
        assert [each.reviewer for each in session.judgements(1)] == ["Ada"]


@pytest.mark.parametrize("seed", seeds(by_day=4, by_night=8))
def test_any_order_of_presses_equals_a_model(place, seed):
    """Against the plain model: two stacks of (candidate, before, after)."""
    chance = random.Random(seed)
    held: dict[int, Opinion] = {}
    done: list[tuple[int, Opinion | None, Opinion]] = []
    undone: list[tuple[int, Opinion | None, Opinion]] = []
    session = made(place)
    lines = 0
    for _ in range(200):
        press = chance.random()
        if press < 0.5:
            number = chance.randint(1, 5)
            opinion = Opinion(
                verdict=chance.choice([*Verdict, None]), confidence=chance.choice([None, 4])
            )
            told = session.record_verdict(number, opinion)
            if held.get(number) != opinion:
                done.append((number, held.get(number), opinion))
                undone.clear()
                held[number] = opinion
                lines += 1
                assert told is not None
            else:
                assert told is None
        elif press < 0.8:
            told = session.undo()
            assert (told is None) == (not done)
            if done:
                lines += 1
                number, before, _after = step = done.pop()
                undone.append(step)
                held.pop(number) if before is None else held.update({number: before})
        elif press < 0.95:
            told = session.redo()
            assert (told is None) == (not undone)
            if undone:
                lines += 1
                number, _before, after = step = undone.pop()
                done.append(step)
                held[number] = after
        else:
            session.close()
            session = open_session(place, "Ada")
    found = {number: session.judgement(number) for number in range(1, 6)}
    assert {n: each.opinion for n, each in found.items() if each is not None} == held
    assert len(list(session.history())) == lines
    with session.database.reading() as connection:
        judged = connection.exec_driver_sql("SELECT id, judged_by FROM candidates").all()
    assert {row.id for row in judged if row.judged_by} == {
        number for number, opinion in held.items() if opinion.verdict is not None
    }
    session.close()


def test_one_writer_and_many_readers(file_place):
    with made(file_place) as session:
        session.record_verdict(1, ACCEPT)
        with pytest.raises(SessionHeldError, match="process") as told:
            open_session(file_place, "Ben")
        assert str(os.getpid()) in told.value.holder
        with open_session(file_place, "Ben", read_only=True) as reader:
            assert reader.judgements(1)[0].opinion == ACCEPT
            session.record_verdict(2, REJECT)
            assert reader.judgements(2)[0].opinion == REJECT
            with pytest.raises(ReadOnlyError):
                reader.record_verdict(3, ACCEPT)
    open_session(file_place, "Ben").close()
    assert not list(file_place.parent.glob(".*lock"))


def test_a_dead_holder_holds_nothing(file_place):
    made(file_place).close()
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from app.core.session.session import open_session\n"
        "session = open_session(Path(sys.argv[1]), 'Ada'); print('held', flush=True)\n"
        "sys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(file_place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdout.readline() == b"held\n"
    with pytest.raises(SessionHeldError, match=f"process {child.pid}"):
        open_session(file_place, "Ben")
    child.kill()
    child.communicate()
    open_session(file_place, "Ben").close()


def test_in_a_folder_that_cannot_be_written(file_place):
    made(file_place).close()
    copy = file_place.with_name("copy.speco3")
    shutil.copy(file_place, copy)
    with open_session(copy, "Ben", read_only=True) as reader:
        assert reader.count() == 5


def test_what_is_no_session_is_refused(tmp_path):
    other = tmp_path / "other.speco3"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE facts (a)")
    connection.close()
    text = tmp_path / "text.speco3"
    text.write_text("hello")
    for path, told in ((other, "another program"), (text, "not a session"), (tmp_path, "is not a file")):
        with pytest.raises(SessionError, match=told):
            open_session(path, "Ada")
    with pytest.raises(SessionError, match="does not exist"):
        open_session(tmp_path / "none.speco3", "Ada")


def test_a_newer_session_is_refused(file_place):
    made(file_place).close()
    with sqlite3.connect(file_place) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    with pytest.raises(SessionError, match="newer version"):
        open_session(file_place, "Ada")
    with sqlite3.connect(file_place) as connection:
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    open_session(file_place, "Ada").close()


def test_nothing_is_overwritten(place):
    made(place).close()
    with pytest.raises(SessionError, match="already"):
        new_session(place, find_task("CV"), "Ben")
    open_session(place, "Ada").close()


def test_a_file_replaced_underneath(file_place):
    with made(file_place) as session:
        copy = file_place.with_name("copy")
        shutil.copy(file_place, copy)
        copy.replace(file_place)
        with pytest.raises(SessionError, match="replaced"):
            session.record_verdict(1, ACCEPT)
        file_place.unlink()
        with pytest.raises(SessionError, match="moved or deleted"):
            session.record_verdict(1, ACCEPT)


def test_settings_of_the_file(file_place):
    with made(file_place) as session, session.database.writing() as connection:
        wanted = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "trusted_schema": 0}
        for pragma, value in wanted.items():
            assert connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one() == value
    assert file_place.read_bytes()[68:72] == b"S3O3"


@pytest.mark.parametrize(
    "opinion",
    [
        Opinion(confidence=5),
        Opinion(confidence=-1),
        Opinion(comment="x" * 10_001),
        Opinion(comment="a\0b"),
        Opinion(flags=("",)),
        Opinion(flags=("a",) * 33),
    ],
)
def test_opinions_that_cannot_be_kept(place, opinion):
    with made(place) as session:
        with pytest.raises(SessionError):
            session.record_verdict(1, opinion)
        assert list(session.history()) == []


def test_a_verdict_on_nothing_is_refused(place):
    with made(place) as session:
        with pytest.raises(SessionError):
            session.record_verdict(99, ACCEPT)
        with pytest.raises(SessionError, match="no candidate 99"):
            session.candidate(99)
        assert [each.id for each in session.candidates([4, 99, 2])] == [4, 2]


@pytest.mark.parametrize("name", ["", "   ", "x" * 81, "a\nb\x1b"])
def test_names_nobody_has(place, name):
    with made(place, reviewer=name) as session, pytest.raises(SessionError, match="name"):
        session.record_verdict(1, ACCEPT)


def test_the_task_goes_with_the_session(place, tmp_path):
    source = find_task("CV")
    with made(place) as session:
        assert session.task.windows == source.windows
        session.set_fact("blind", json.dumps(True))
    with open_session(place, "Ada") as session:
        assert session.fact("blind") == "true"
        assert session.fact("none") is None


def test_a_database_of_no_kind_we_know():
    with pytest.raises(SessionError, match="PostgreSQL"):
        Database("mysql://host/db", "write")
    with pytest.raises(SessionError, match="neither"):
        Database("://", "write")


def test_fill_counts(place):
    with new_session(place, find_task("CV"), "Ada") as session:
        assert fill(session, 0).count() == 0


def test_roles_name_the_column_of_the_label(tmp_path):
    with new_session(tmp_path / "night", find_task("CV"), "Ada") as session:
        take_sample(session, 12)
        assert list_roles(session)[1]["label"] == "subclass"


def test_damaged_roles_are_left_out(tmp_path):
    with new_session(tmp_path / "night", find_task("CV"), "Ada") as session:
        take_sample(session, 2)
        for text, found in (("no JSON", {}), ("[1]", {}), ('{"ra": 1, "dec": "d"}', {"dec": "d"})):
            with session.database.writing() as connection:
                connection.execute(update(lists).values(roles=text))
            assert list_roles(session) == {1: found}
