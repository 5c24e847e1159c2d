"""A window with the tour running."""

from __future__ import annotations

import pytest

from tests.app.ui.candidates import copied, sample_file
from tests.app.ui.whole_window import before_window


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return sample_file(tmp_path_factory.mktemp("sample"))


@pytest.fixture
def place(made, tmp_path):
    return copied(made, tmp_path)


@pytest.fixture
def person(qtbot, place):
    with before_window(qtbot, place) as someone:
        someone.window.commands.run("tour")
        yield someone
