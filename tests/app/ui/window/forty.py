"""The window on forty candidates of the sample."""

from __future__ import annotations

import pytest

from tests.app.ui.candidates import copied, sample_file
from tests.app.ui.whole_window import before_window


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    return sample_file(tmp_path_factory.mktemp("sample"), 40)


@pytest.fixture
def place(sample, tmp_path):
    return copied(sample, tmp_path)


@pytest.fixture
def person(qtbot, place):
    with before_window(qtbot, place) as before:
        yield before
