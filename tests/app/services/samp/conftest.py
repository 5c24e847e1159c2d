"""A hub, a program that plays TOPCAT, and a check that nothing keeps running."""

from __future__ import annotations

import threading

import pytest

from app.services.samp.connection import SampConnection
from tests.app.services.samp.peers import Topcat, own_place, running_hub


@pytest.fixture(autouse=True)
def nothing_runs_on():
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before]
    for thread in left:
        thread.join(10)
    assert not [thread.name for thread in left if thread.is_alive()]


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
