"""A client that waits little."""

from collections.abc import Iterator

import pytest

from app.services.web import client as web_client
from app.services.web.client import WebClient
from tests.app.services.fault_server import FaultServer


@pytest.fixture
def client(server: FaultServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebClient]:
    # It is closed before the server, which waits for its connections.
    monkeypatch.setattr(web_client, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(web_client, "LONGEST_WAIT_S", 0.05)
    made = WebClient(seed=3)
    yield made
    made.close()
