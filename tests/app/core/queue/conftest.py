"""One scene for a module, in a file and on a server: its tests only look."""

import pytest

from tests.app.core.queue.scenes import scene


@pytest.fixture(scope="module")
def file_scene(tmp_path_factory):
    made = scene(tmp_path_factory.mktemp("scene") / "night.speco3")
    with made.session:
        yield made


@pytest.fixture(scope="module")
def team_scene(cluster):
    name = cluster.new_database()
    made = scene(cluster.url(name))
    with made.session:
        yield made
    cluster.drop(name)


@pytest.fixture(scope="module", params=["file", "team"])
def seen(request):
    return request.getfixturevalue(f"{request.param}_scene")


@pytest.fixture(scope="module")
def planned_session(tmp_path_factory):
    made = scene(tmp_path_factory.mktemp("plans") / "night.speco3", 300)
    with made.session as session:
        yield session
