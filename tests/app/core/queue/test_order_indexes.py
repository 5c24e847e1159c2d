"""Indexes of orders: made when they are first wanted, and done without where they cannot be."""

import gc
import sqlite3
import weakref

import pytest
from sqlalchemy import text

from app.core.errors import SessionError
from app.core.queue import (
    UNJUDGED,
    Sort,
    drop_order_indexes,
    next_unjudged,
    order_indexes,
    page,
    parse_filter,
)
from app.core.session.session import open_session
from tests.app.core.sessions import REJECT, made

SCORE = Sort("score", True)


def names(session):
    catalogue = (
        order_indexes.SQLITE_INDEXES if session.database.is_file else order_indexes.POSTGRES_INDEXES
    )
    with session.database.reading() as connection:
        found = connection.execute(text(catalogue)).scalars()
        return {name for name in found if name.startswith("queue_")}


def test_made_when_first_wanted(location):
    with made(location) as session:
        assert names(session) == set()
        page(session)
        assert names(session) == set()
        page(session, sort=SCORE)
        assert names(session) == {"queue_score_down"}
        next_unjudged(session, sort=SCORE)  # nobody has judged anything: it is the same
        assert names(session) == {"queue_score_down"}
        session.record_verdict(1, REJECT)
        assert next_unjudged(session, sort=SCORE).candidate.id == 2
        assert names(session) == {"queue_score_down", "queue_score_down_unjudged1"}
        page(session, parse_filter("snr>3 list:1"))
        assert names(session) >= {"queue_column_snr", "queue_list_list1"}
    with open_session(location, "Ben") as session:
        session.record_verdict(2, REJECT)
        assert next_unjudged(session).candidate.id == 1
        assert "queue_list_unjudged2" in names(session)


def test_dropped_and_made_again(location):
    with made(location) as session:
        session.record_verdict(1, REJECT)
        next_unjudged(session, sort=SCORE)
        drop_order_indexes(session)
        assert names(session) == set()
        assert next_unjudged(session, sort=SCORE).candidate.id == 2
        assert len(names(session)) == 2


def test_who_only_reads_goes_without(tmp_path):
    location = tmp_path / "a.speco3"
    with made(location) as session:
        session.record_verdict(1, REJECT)
    with open_session(location, "Ada", read_only=True) as session:
        assert next_unjudged(session, sort=SCORE).candidate.id == 2
        assert len(page(session, UNJUDGED, SCORE).rows) == 4
        assert names(session) == set()


def test_what_cannot_be_made_is_tried_once(tmp_path, monkeypatch):
    """As on a full disk: a page is shown all the same."""
    with made(tmp_path / "a.speco3") as session:
        session.record_verdict(1, REJECT)
        tries = []

        def full(connection, indexes):
            tries.append([index.name for index in indexes])
            raise SessionError("the disk is full")

        monkeypatch.setattr(order_indexes, "_create", full)
        for _ in range(3):
            assert next_unjudged(session, sort=SCORE).candidate.id == 2
        assert tries == [["queue_score_down", "queue_score_down_unjudged1"]]


def test_a_strangers_indexes_change_nothing(tmp_path):
    location = tmp_path / "a.speco3"
    made(location).close()
    with open_session(location, "Ada") as session:
        with sqlite3.connect(location) as connection:
            connection.execute("CREATE INDEX queue_score_down ON candidates (label)")
            connection.execute('CREATE INDEX "queue_x"" ; DROP TABLE log" ON candidates (label)')
        connection.close()
        assert [row.candidate.id for row in page(session, sort=SCORE).rows] == [1, 2, 3, 4, 5]
        drop_order_indexes(session)
        assert names(session) == {'queue_x" ; DROP TABLE log'}
        assert session.count() == 5


def test_nothing_is_kept_of_a_closed_session(tmp_path):
    with made(tmp_path / "a.speco3") as session:
        page(session, sort=SCORE)
        database = weakref.ref(session.database)
        assert database() in order_indexes._states
    del session
    gc.collect()
    assert database() is None


@pytest.mark.parametrize("sort", [Sort("random", seed=2**31 - 2), Sort("surprising", True)])
def test_names_are_short_enough_for_a_server(sort):
    index = order_indexes.order_index(sort, order_indexes.IndexScope(60, 2**31 - 1))
    assert len(index.name) < 64
    assert order_indexes._is_ours(index.name)
