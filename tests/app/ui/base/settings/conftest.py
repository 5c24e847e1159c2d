"""A settings file in a folder that does not exist yet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.ui.base.settings.settings_store import SettingsStore


@pytest.fixture
def path(tmp_path: Path, qapp: object) -> Path:
    """Needs the application, because the store writes the file on a timer."""
    return tmp_path / "deep" / "settings.toml"


def reopened(path: Path, **changes: Any) -> SettingsStore:
    """A store on the file that another store has written with these changes."""
    store = SettingsStore(path)
    store.change(**changes)
    store.close()
    return SettingsStore(path)


def store_with(path: Path, text: str | bytes) -> SettingsStore:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return SettingsStore(path)
