"""Short and long queues."""

from __future__ import annotations

import pytest

from app.ui.candidate import queue_search


@pytest.fixture(params=["short", "long"])
def length(request, monkeypatch):
    """A long queue is searched in the background, with the same results."""
    if request.param == "long":
        monkeypatch.setattr(queue_search, "LONG_QUEUE", 3)
