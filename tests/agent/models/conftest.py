"""A home of its own for every test, and a hub on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent.models.fake_hub import FILES, FakeHub, running


@pytest.fixture(autouse=True)
def home(own_models: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nor its tokens and proxies."""
    for name in ("HF_ENDPOINT", "HF_HUB_OFFLINE", "HF_HUB_CACHE", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setattr("agent.models.download.get_token", lambda: None)
    return own_models.parent


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with running(FakeHub(dict(FILES))) as fake:
        yield fake
