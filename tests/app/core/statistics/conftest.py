"""A session to be judged."""

import pytest

from tests.app.core.sessions import made


@pytest.fixture
def session(tmp_path):
    with made(tmp_path / "night.speco3", 400) as session:
        yield session
