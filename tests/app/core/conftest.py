"""Where a session may lie: a file of one's own, or a database of a team."""

from __future__ import annotations

import pytest

from tests.app.core.database.postgres import running_cluster


@pytest.fixture(scope="session")
def cluster():
    with running_cluster() as running:
        yield running


@pytest.fixture
def file_place(tmp_path):
    return tmp_path / "night.speco3"


@pytest.fixture
def team_place(cluster):
    name = cluster.new_database()
    yield cluster.url(name)
    cluster.drop(name)


@pytest.fixture(params=["file", "team"])
def place(request):
    return request.getfixturevalue(f"{request.param}_place")
