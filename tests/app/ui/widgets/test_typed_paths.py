"""Nothing that can be typed raises."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.ui.widgets.file_field import is_folder, is_there


@pytest.mark.parametrize("words", ["x" * 5000, "a\0b", "/", ".", "..", "~", "no/such/thing"])
def test_whatever_is_typed(words):
    path = Path(words)
    assert is_there(path) == is_folder(path) == (words in ("/", ".", ".."))
