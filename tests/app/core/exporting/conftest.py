import pytest


@pytest.fixture
def session_path(tmp_path):
    return tmp_path / "night.speco3"
