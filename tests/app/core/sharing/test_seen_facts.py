"""Which results reviewers had seen is merged."""

from __future__ import annotations

import pytest
from sqlalchemy import insert, text

from app.core.database.tables import facts
from app.core.errors import SessionError
from app.core.inspections.seen import SeenResult, read_seen, record_seen
from app.core.session.session import open_session
from app.core.sharing import merge, seen_facts
from tests.app.core.sharing.merged_sessions import session_at


def test_what_was_seen_comes_along(location, tmp_path):
    """Under the numbers here; what both know is the sum of both, and a second time brings none."""
    with session_at(location) as ada, session_at(tmp_path / "ben.speco3", "Ben", 6) as ben:
        record_seen(ada, {1: SeenResult(model="nano"), 3: SeenResult(in_blind=True)})
        record_seen(ben, {6: SeenResult(model="nano: 7b", in_blind=True), 2: SeenResult()})
        with ben.database.writing() as connection:  # Ada had sat at Ben's, too
            ours = [("seen:1:Ada", "bother"), ("seen:3:Ada", "o"), ("seen:4:Ada", "onano")]
            rows = [{"key": key, "value": value} for key, value in ours]
            connection.execute(insert(facts), rows)
        assert merge(ada, ben).seen == 4
        assert read_seen(ada, 1) == SeenResult(model="nano", in_blind=True)
        assert read_seen(ada, 3) == SeenResult(in_blind=True)
        assert read_seen(ada, 4) == SeenResult(model="nano")
        assert merge(ada, ben).seen == 0
    with open_session(location, "Ben") as session_of_ben:
        assert read_seen(session_of_ben, 6) == SeenResult(model="nano: 7b", in_blind=True)
        assert read_seen(session_of_ben, 2) == SeenResult()
        assert read_seen(session_of_ben, 1) is None


def test_two_models_seen_on_two_machines(tmp_path):
    """All files name the same one of them."""
    with session_at(tmp_path / "a.speco3") as one, session_at(tmp_path / "b.speco3") as two:
        record_seen(one, {1: SeenResult(model="nano"), 2: SeenResult(model="nano")})
        record_seen(two, {1: SeenResult(model="large"), 2: SeenResult(in_blind=True)})
        merge(one, two)
        merge(two, one)
        for session in (one, two):
            assert read_seen(session, 1) == SeenResult(model="large")
            assert read_seen(session, 2) == SeenResult(model="nano", in_blind=True)


def test_many_that_were_seen(location, tmp_path, monkeypatch):
    monkeypatch.setattr(seen_facts, "MAX_IDS", 3)
    with session_at(location, count=8) as ada, session_at(tmp_path / "ben.speco3", "Ben", 8) as ben:
        record_seen(ben, {number: SeenResult(model=f"m{number}") for number in range(1, 9)})
        assert merge(ada, ben).seen == 8
    with open_session(location, "Ben") as again:
        found = [read_seen(again, number) for number in range(1, 9)]
        assert found == [SeenResult(model=f"m{number}") for number in range(1, 9)]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seen:99:Ben", "o"),
        ("seen:x:Ben", "o"),
        ("seen:1:", "o"),
        ("seen:1:Be\nn", "o"),
        ("seen:1:Ben", "o" + "m" * 300),
        ("seen:" + "9" * 30 + ":Ben", "o"),
        ("seen:1:Ben", b"o"),
    ],
)
def test_what_a_stranger_writes_of_it(location, tmp_path, key, value):
    with session_at(location) as ada, session_at(tmp_path / "ben.speco3", "Ben") as ben:
        with ben.database.writing() as connection:
            connection.execute(text("INSERT INTO facts VALUES (:k, :v)"), {"k": key, "v": value})
        with pytest.raises(SessionError, match="damaged"):
            merge(ada, ben)
        assert read_seen(ada, 1) is None
