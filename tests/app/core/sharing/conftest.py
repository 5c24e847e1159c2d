"""A clock that advances by one second per call, and two sessions to be merged."""

import itertools

import pytest

from app.core.session import verdict_log
from tests.app.core.session.test_rebuild import moment
from tests.app.core.sharing.merged_sessions import session_at


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """A second later each time somebody asks."""
    seconds = itertools.count(1)
    monkeypatch.setattr(verdict_log, "now", lambda: moment(next(seconds)))


@pytest.fixture
def into(tmp_path):
    with session_at(tmp_path / "a.speco3") as session:
        yield session


@pytest.fixture
def wider(tmp_path):
    """Ben's, with one candidate more."""
    with session_at(tmp_path / "wider.speco3", "Ben", 6) as session:
        yield session


@pytest.fixture
def other(tmp_path):
    with session_at(tmp_path / "b.speco3", "Ben") as session:
        yield session
