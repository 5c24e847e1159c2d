"""The check that opens the window."""

from __future__ import annotations

import sys

import pytest

from app.selftest import window
from app.selftest.installation import CheckFailed
from tests.app.selftest.checks import run


def test_a_window_that_dies_is_a_row_with_its_last_words(monkeypatch, tmp_path):
    words = "import os, sys; print('a library is missing', file=sys.stderr, flush=True); os.abort()"
    monkeypatch.setattr(window, "child_command", lambda *_: [sys.executable, "-c", words])
    with pytest.raises(CheckFailed, match=r"it was killed by SIGABRT .*: a library is missing"):
        run(window, "offscreen", tmp_path)
