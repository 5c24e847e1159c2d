"""A session that another program has open."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from agent.tasks.catalogue import task
from app.core.errors import SessionHeldError
from app.core.session.session import new_session, open_session
from app.ui.start.locked_page import HeldPage
from app.ui.theme.theme import Looks


@pytest.fixture
def held(tmp_path):
    """Its place, and what opening it a second time says."""
    place = tmp_path / "night.speco3"
    with new_session(place, task("CV"), "Ada"):
        with pytest.raises(SessionHeldError) as refused:
            open_session(place, "Grace")
        yield place, refused.value


def test_it_tells_who_and_offers_to_look(qtbot, held):
    place, error = held
    page = HeldPage(Looks())
    qtbot.addWidget(page)
    page.show()
    page.show_holder(place, error)
    assert "night.speco3 is open" in page.title.text()
    assert "process" in page.holder.text()
    with qtbot.waitSignal(page.read_only_wanted) as told:
        qtbot.mouseClick(page.read_only_button, Qt.MouseButton.LeftButton)
    assert told.args == [place]
    with open_session(told.args[0], "Grace", read_only=True) as session:
        assert session.is_read_only


def test_trying_again_and_choosing_another(qtbot, held):
    place, error = held
    page = HeldPage(Looks())
    qtbot.addWidget(page)
    page.show_holder(place, error)
    with qtbot.waitSignal(page.retried) as told:
        qtbot.mouseClick(page.retry_button, Qt.MouseButton.LeftButton)
    assert told.args == [place]
    with qtbot.waitSignal(page.left):
        qtbot.mouseClick(page.other_button, Qt.MouseButton.LeftButton)
