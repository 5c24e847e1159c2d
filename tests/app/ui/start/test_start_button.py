"""The large buttons of the welcome page."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from tests.app.ui.tools import click


def test_one_click_for_the_sample(qtbot, page):
    with qtbot.waitSignal(page.sample_requested):
        click(qtbot, page.sample_button)


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Space])
def test_the_same_with_keys(qtbot, page, key):
    page.sample_button.setFocus()
    with qtbot.waitSignal(page.sample_requested):
        qtbot.keyClick(page.sample_button, key)


def test_title_and_description_wrap_where_the_text_is_large(page):
    button = page.session_button
    one_row = button.heightForWidth(2000)
    assert one_row == button.sizeHint().height()
    line = button.fontMetrics().height()
    assert button.heightForWidth(220) >= one_row + line
