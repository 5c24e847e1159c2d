"""Fixtures for the location of a session: a file or a team's database."""

import pytest

from app.core.database import error_messages
from tests.app.core.database.postgres import running_cluster


@pytest.fixture(scope="session")
def cluster():
    with running_cluster() as running:
        yield running


@pytest.fixture
def file_location(tmp_path):
    return tmp_path / "night.speco3"


@pytest.fixture
def team_location(cluster):
    name = cluster.new_database()
    yield cluster.url(name)
    cluster.drop(name)


@pytest.fixture
def impatient(monkeypatch):
    """Nobody waits for long until another has written."""
    monkeypatch.setattr(error_messages, "BUSY_TIMEOUT_S", 0.3)


@pytest.fixture(params=["file", "team"])
def location(request):
    return request.getfixturevalue(f"{request.param}_location")
