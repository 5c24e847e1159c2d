"""A hub and a program that plays TOPCAT beside a window."""

from __future__ import annotations

import pytest

from tests.app.services.samp.peers import Topcat, own_place, running_hub


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
