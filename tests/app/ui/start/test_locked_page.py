"""A session that another program has open."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from agent.tasks.catalogue import find_task
from app.core.errors import SessionHeldError
from app.core.session.session import new_session, open_session
from app.ui.start.locked_page import LockedPage
from app.ui.theme.theme import CurrentTheme


@pytest.fixture
def held(tmp_path):
    """The location of an open session, and the error of opening it again."""
    location = tmp_path / "night.speco3"
    with new_session(location, find_task("CV"), "Ada"):
        with pytest.raises(SessionHeldError) as refused:
            open_session(location, "Grace")
        yield location, refused.value


def test_it_tells_who_and_offers_to_look(qtbot, held):
    location, error = held
    page = LockedPage(CurrentTheme())
    qtbot.addWidget(page)
    page.show()
    page.show_holder(location, error)
    assert "night.speco3 is open" in page.title.text()
    assert "process" in page.holder.text()
    with qtbot.waitSignal(page.read_only_requested) as signal:
        qtbot.mouseClick(page.read_only_button, Qt.MouseButton.LeftButton)
    assert signal.args == [location]
    with open_session(signal.args[0], "Grace", read_only=True) as session:
        assert session.is_read_only


def test_trying_again_and_choosing_another(qtbot, held):
    location, error = held
    page = LockedPage(CurrentTheme())
    qtbot.addWidget(page)
    page.show_holder(location, error)
    with qtbot.waitSignal(page.retry_requested) as signal:
        qtbot.mouseClick(page.retry_button, Qt.MouseButton.LeftButton)
    assert signal.args == [location]
    with qtbot.waitSignal(page.closed):
        qtbot.mouseClick(page.other_button, Qt.MouseButton.LeftButton)
