"""A clock that advances by one second per call."""

from __future__ import annotations

import itertools

import pytest

from app.core.session import verdict_log
from tests.app.core.session.test_rebuild import moment


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """A second later each time somebody asks."""
    seconds = itertools.count(1)
    monkeypatch.setattr(verdict_log, "now", lambda: moment(next(seconds)))
