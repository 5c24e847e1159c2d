"""A hub, a program that plays TOPCAT, and a check that nothing keeps running."""

import threading

import pytest

from app.services.samp import connection as connection_module
from app.services.samp import hub as own_hub
from app.services.samp.connection import SampConnection
from tests.app.services.samp.peers import Topcat, own_place, running_hub
from tests.processes import LONG_S


@pytest.fixture(autouse=True)
def nothing_runs_on():
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before]
    for thread in left:
        thread.join(LONG_S)
    assert not [thread.name for thread in left if thread.is_alive()]


@pytest.fixture(autouse=True)
def on_a_slow_machine(monkeypatch):
    """Nobody is given up as silent, but where a test says so."""
    for module, name in (
        (own_hub, "START_S"), (own_hub, "STOP_S"), (connection_module, "TIMEOUT_S"),
        (connection_module, "REPLY_S"), (connection_module, "LEAVE_S"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, LONG_S)
    monkeypatch.setattr(SampConnection.ask, "__defaults__", (LONG_S,))


@pytest.fixture
def lock(tmp_path, monkeypatch):
    return own_place(tmp_path, monkeypatch)


@pytest.fixture
def hub(lock):
    with running_hub() as hub:
        yield hub


@pytest.fixture
def topcat(hub):
    program = Topcat(hub)
    yield program
    program.close()


@pytest.fixture
def received():
    return []


@pytest.fixture
def connection(lock, received, tmp_path):
    made = SampConnection(received.append, tmp_path / "received")
    yield made
    made.close()
