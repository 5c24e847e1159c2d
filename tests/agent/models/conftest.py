"""A home of its own for every test, and a hub on loopback."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent.models.fake_hub import FILES, FakeHub, running


@pytest.fixture(autouse=True)
def home(own_models: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("agent.models.download.get_token", lambda: None)
    return own_models.parent


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with running(FakeHub(dict(FILES))) as fake:
        yield fake
