"""The window loads no heavy module to show and judge a session."""

from __future__ import annotations

from tests.app.ui.candidates import sample_file
from tests.app.ui.test_program import program, until


def test_the_window_loads_nothing_heavy(tmp_path):
    with program(tmp_path, "modules", sample_file(tmp_path)) as running:
        loaded, _ = until(running, "loaded")
        until(running, "ended")
    assert loaded["heavy"] == []
    assert loaded["count"] > 100  # they were counted
