"""The welcome page, and a session with some verdicts."""

import pytest

from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.ui.start.welcome_page import WelcomePage
from tests.app.ui.candidates import sample_file
from tests.app.ui.steps import shown_in
from tests.app.ui.tools import one_spectrum, sample_list, tools

__all__ = ["one_spectrum", "sample_list", "tools"]


@pytest.fixture
def made(tmp_path):
    """A session of twelve candidates, three of them judged."""
    location = sample_file(tmp_path)
    with open_session(location, "Ada") as session:
        for number in (1, 2, 3):
            session.record_verdict(number, Opinion(verdict=Verdict.REJECT))
    return location


@pytest.fixture
def page(qtbot, tools):
    return shown_in(qtbot, WelcomePage(*tools.all), 1280, 720)
