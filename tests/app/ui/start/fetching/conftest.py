import pytest

from app.services.web import client as web_client
from tests.app.services.archives.archive_play import play_archives
from tests.app.services.fault_server import fault_server


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(web_client, "FIRST_WAIT_S", 0.01)
    with fault_server() as made:
        play_archives(made)
        yield made
