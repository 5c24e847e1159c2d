from __future__ import annotations

import pytest

from agent.tasks.catalogue import find_task
from app.core.session.session import new_session


@pytest.fixture
def session(file_place):
    with new_session(file_place, find_task("CV"), "Ada") as made:
        yield made


@pytest.fixture
def folder(tmp_path):
    """Where lists lie."""
    made = tmp_path / "lists"
    made.mkdir()
    return made
