"""The window on twelve candidates of the sample."""

from __future__ import annotations

import pytest

from tests.app.ui.candidates import copied, sample_file
from tests.app.ui.whole_window import before_window


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    return sample_file(tmp_path_factory.mktemp("sample"))


@pytest.fixture
def person(qtbot, tmp_path, sample):
    with before_window(qtbot, copied(sample, tmp_path)) as before:
        yield before
