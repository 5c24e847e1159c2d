import pytest


@pytest.fixture
def location(tmp_path):
    return tmp_path / "night.speco3"
