"""Task files of the user in a folder of the test's own."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's task folder that is not that of whoever runs the tests."""
    folder = tmp_path / "config" / "tasks"
    monkeypatch.setattr("agent.tasks.catalogue.user_task_folder", lambda: folder)
    return folder
