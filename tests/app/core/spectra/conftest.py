"""No thread that reads ahead outlives its test."""

from __future__ import annotations

import threading

import pytest


@pytest.fixture(autouse=True)
def no_thread_is_left():
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) == before
