"""The child process that reads a list."""

from __future__ import annotations

import io

from app.core.importing.child import child
from app.core.importing.child.wire import read_frame


def test_a_long_search_gives_the_parent_a_chance_to_stop_it(monkeypatch):
    pipe = io.BytesIO()
    pulse = child.Heartbeat(pipe)
    assert pulse() is False
    assert pipe.getvalue() == b""
    monkeypatch.setattr(child, "HEARTBEAT_S", -1.0)
    assert pulse() is False
    pipe.seek(0)
    assert read_frame(pipe)[0]["type"] == "busy"
