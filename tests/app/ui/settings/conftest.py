"""A settings file in a folder that does not exist yet."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path, qapp: object) -> Path:
    """Needs the application, because the store writes the file on a timer."""
    return tmp_path / "deep" / "settings.toml"
