"""A session on disk: verdicts kept, undone, done again; one writer; nothing but sessions opened."""

import json
import sqlite3

import pytest
from sqlalchemy import update

from agent.tasks.catalogue import find_task
from app.core.database.database import Database
from app.core.database.migrations import VERSION
from app.core.database.tables import lists
from app.core.errors import SessionError
from app.core.session.counted_text import counted_text
from app.core.session.records import Opinion, Verdict
from app.core.session.session import list_roles, new_session, open_session
from tests.app.core.sessions import made
from tests.app.ui.candidates import take_sample

ACCEPT, REJECT, UNSURE = (Opinion(verdict=verdict) for verdict in Verdict)


def test_a_verdict_is_there_after_a_restart(location):
    full = Opinion(
        verdict=Verdict.ACCEPT, confidence=3, flags=("variable",), comment="Hα 宽 \U0001f31f"
    )
    with made(location) as session:
        entry = session.record_verdict(2, full, seconds=4.5, shown={"verdict": "YES"})
        assert (entry.candidate_id, entry.action, entry.reviewer) == (2, "set", "Ada")
        identity = session.id
    with open_session(location, "Ada") as session:
        held = session.judgement(2)
        assert held.opinion == full
        assert session.judgement(1) is None
        (line,) = session.history()
        assert line == entry
        assert (line.seconds, dict(line.shown)) == (4.5, {"verdict": "YES"})
        assert session.id == identity
        assert session.task == find_task("CV")


def test_a_newer_session_is_refused(file_location):
    made(file_location).close()
    with sqlite3.connect(file_location) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    with pytest.raises(SessionError, match="newer version"):
        open_session(file_location, "Ada")
    with sqlite3.connect(file_location) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.close()
    open_session(file_location, "Ada").close()


def test_task_and_facts_go_with_it_and_nothing_is_overwritten(location):
    with made(location) as session:
        assert session.task.windows == find_task("CV").windows
        session.set_fact("blind", json.dumps(True))
        with pytest.raises(SessionError):
            session.record_verdict(99, ACCEPT)
        with pytest.raises(SessionError, match="no candidate 99"):
            session.candidate(99)
        assert [each.id for each in session.candidates([4, 99, 2])] == [4, 2]
    with pytest.raises(SessionError, match="already"):
        new_session(location, find_task("CV"), "Ben")
    with open_session(location, "Ada") as session:
        assert session.fact("blind") == "true"
        assert session.fact("none") is None


def test_a_database_of_no_kind_we_know():
    with pytest.raises(SessionError, match="PostgreSQL"):
        Database("mysql://host/db", "write")
    with pytest.raises(SessionError, match="neither"):
        Database("://", "write")


def test_roles_name_the_column_of_the_label_and_damaged_ones_are_left_out(tmp_path):
    with new_session(tmp_path / "night", find_task("CV"), "Ada") as session:
        take_sample(session, 2)
        assert list_roles(session)[1]["label"] == "subclass"
        for text, found in (("no JSON", {}), ("[1]", {}), ('{"ra": 1, "dec": "d"}', {"dec": "d"})):
            with session.database.writing() as connection:
                connection.execute(update(lists).values(roles=text))
            assert list_roles(session) == {1: found}


# Opinions are checked before they are stored.
def test_opinions_that_cannot_be_kept(location):
    with made(location) as session:
        for opinion in [
            Opinion(confidence=5), Opinion(confidence=-1), Opinion(comment="x" * 10_001),
            Opinion(comment="a\0b"), Opinion(flags=("",)), Opinion(flags=("a",) * 33),
        ]:  # fmt: skip
            with pytest.raises(SessionError):
                session.record_verdict(1, opinion)
            assert list(session.history()) == []


# Numbers of things.
def test_one_and_many():
    assert counted_text(1, "row") == "1 row"
    assert counted_text(0, "row") == "0 rows"
    assert counted_text(2000, "spectrum", "spectra") == "2,000 spectra"
    assert counted_text(1, "spectrum", "spectra") == "1 spectrum"
