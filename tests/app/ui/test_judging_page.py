"""The judging page: its panels come and go."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from tests.app.ui.whole_window import before_window, copied, sample_file

Key = Qt.Key


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    return sample_file(tmp_path_factory.mktemp("sample"))


@pytest.fixture
def person(qtbot, tmp_path, sample):
    with before_window(qtbot, copied(sample, tmp_path)) as before:
        yield before


def test_the_panels_go_and_come_with_their_widths(person):
    judging = person.view.judging
    before = judging.columns.sizes()
    person.press("/")  # the focus may be in what is about to go
    person.press(Key.Key_Escape)
    person.press("h")
    assert not judging.left.isVisible() and not judging.right.isVisible()
    person.press("a")
    person.sees(2)
    person.press("h")
    assert judging.left.isVisible() and judging.right.isVisible()
    person.wait(lambda: judging.columns.sizes() == before)
    assert person.verdicts() == {1: "ACCEPT"}
