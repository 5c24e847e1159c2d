"""The top bar: pages, progress, blind mode."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel

from app.core.session.session import open_session
from app.ui.top_bar import PAGES, TopBar
from tests.app.ui.conftest import opened_context
from tests.app.ui.whole_window import CTRL, LEFT, before_window, sample_file


def test_each_page_has_a_button_and_shows_which_is_on(qtbot, tmp_path):
    with before_window(qtbot, sample_file(tmp_path)) as person:
        buttons = person.view.top._buttons
        for page in reversed(PAGES):
            qtbot.mouseClick(buttons[page], LEFT)
            assert person.view.page == page
            assert [name for name, each in buttons.items() if each.isChecked()] == [page]
        person.press("3", CTRL)
        assert buttons["agreement_page"].isChecked()
        qtbot.mouseClick(buttons["judging_page"], LEFT)
        person.press("a")
        person.sees(2)


def test_blind_mode_is_one_click_and_kept_with_the_session(qtbot, tmp_path):
    place = sample_file(tmp_path)
    with before_window(qtbot, place) as person:
        button = person.view.top._blind
        assert "off" in button.text()
        qtbot.mouseClick(button, LEFT)
        assert person.current.blind_mode.is_on and "on" in button.text()
    with before_window(qtbot, place) as person:
        assert person.current.blind_mode.is_on


@pytest.mark.parametrize("read_only", [False, True])
def test_it_says_whose_session_it_is_and_whether_it_can_be_written(qtbot, tmp_path, read_only):
    context = sample_file(tmp_path)
    opened = open_session(context, "Ada <b>L</b>", read_only=read_only)
    with opened as session, opened_context(session) as context:
        bar = TopBar(context)
        qtbot.addWidget(bar)
        words = [each.text() for each in bar.findChildren(QLabel)]
        assert "Ada <b>L</b>" in words
        assert ("read-only" in words) is read_only
