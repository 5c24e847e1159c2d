"""One session is opened at a time: the one requested last."""

import threading

import pytest

from agent.errors import WorkbenchError
from app.core.session.session import open_session
from app.ui.base.background.runner import Runner
from app.ui.start.opening import OpenRequest, SessionOpener
from tests.app.ui.candidates import sample_file
from tests.app.ui.whole_window import before_window


@pytest.fixture
def other(tmp_path):
    (tmp_path / "other").mkdir()
    return sample_file(tmp_path / "other")


def test_going_back_cancels_and_of_two_requests_the_last_is_opened(qtbot, place, other):
    with before_window(qtbot, None) as person:
        person.window.opening.open_session(place)
        person.window.opening.show_welcome()
        person.wait(lambda: person.window.opening.opener._opening is None)
        assert person.window.view is None and person.window.opening.welcome.isVisible()
        open_session(place, "Bea").close()  # nobody holds it
        person.window.opening.open_session(place)
        person.window.opening.open_session(other)
        person.wait(lambda: person.window.view is not None)
        assert person.session.location == other
        person.sees(1)
        open_session(place, "Bea").close()
        for _ in range(3):
            person.window.opening.open_session(place)
        person.wait(lambda: person.window.view is not None and person.session.location == place)
        person.sees(1)
        person.press("a", sees=2)


def test_a_window_closed_during_opening_closes_the_session(qtbot, place):
    with before_window(qtbot, None) as person:
        person.window.opening.open_session(place)
    open_session(place, "Bea").close()


def test_a_bug_in_opening_does_not_block_the_next(qtbot):
    done = []
    runner = Runner()
    opener = SessionOpener(runner)
    failing = threading.Event()

    def fault():
        failing.set()
        raise RuntimeError("ours")

    with qtbot.captureExceptions() as caught:
        opener.open(OpenRequest(fault, done.append, done.append))
        qtbot.waitUntil(lambda: bool(caught))
    assert failing.is_set()

    def refuse():
        raise WorkbenchError("not there")

    opener.open(OpenRequest(refuse, done.append, done.append))
    qtbot.waitUntil(lambda: len(done) == 1)
    runner.close()
    opener.close()
