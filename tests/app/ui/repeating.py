"""A round of repeats on the whole window."""

from __future__ import annotations

import pytest

from app.core.inspections.store import add_inspection
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from tests.app.ui.agent.trajectories import record
from tests.app.ui.candidates import copied, sample_file
from tests.app.ui.whole_window import before_window

HERE = 30


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """The whole sample accepted; the agent answers YES for the first ten."""
    place = sample_file(tmp_path_factory.mktemp("judged"), 60)
    with open_session(place, "Ada") as session:
        for number in range(1, 61):
            session.record_verdict(number, Opinion(verdict=Verdict.ACCEPT, comment="first"))
        for number in range(1, 11):
            add_inspection(session, number, record())
    return place


@pytest.fixture
def person(qtbot, judged, tmp_path):
    with before_window(qtbot, copied(judged, tmp_path)) as before:
        before.go(HERE)
        before.window.commands.run("show_again")
        before.wait(lambda: before.current.repeat_round.is_on and before.current.is_painted)
        yield before


def go_to_repeat(person, place):
    """Wait until this candidate of the plan is on screen."""
    person.sees(person.current.repeat_round.plan[place])
