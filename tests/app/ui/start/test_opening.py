"""Opening sessions: the question about spectra outside their folder, and one at a time."""

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox

from agent.errors import WorkbenchError
from app.core.session import spectra_folders
from app.core.session.session import open_session
from app.ui.base.background.runner import Runner
from app.ui.start.opening import OpenRequest, SessionOpener
from tests.agent.spectra.readers import samples
from tests.app.core.exporting.catalogues import listed
from tests.app.ui.candidates import sample_file
from tests.app.ui.whole_window import before_window


@pytest.fixture
def received(tmp_path, monkeypatch):
    monkeypatch.setattr(spectra_folders, "_unsaved", {})
    for name in ("mail", "<b>private"):
        (tmp_path / name).mkdir()
    path = tmp_path / "<b>private" / "a.fits"
    path.write_bytes(samples.sdss())
    listed(tmp_path / "mail" / "night.speco3", [{"path": str(path)}]).close()
    return tmp_path / "mail" / "night.speco3"


def question(person):
    person.wait(lambda: person.window.findChildren(QMessageBox))
    (found,) = person.window.findChildren(QMessageBox)
    return found


@pytest.mark.parametrize("read_only", [False, True])
def test_a_yes_opens_it_now_and_later(qtbot, received, read_only):
    with before_window(qtbot, None) as person:
        window = person.window
        window.opening.open_session(received, read_only=read_only)
        asked = question(person)
        assert window.view is None
        assert str(received.parent.with_name("<b>private")) in asked.informativeText()
        asked.allowed.click()
        person.wait(lambda: window.view is not None)
        assert person.session.is_read_only == read_only
        person.wait(lambda: person.current.spectrum is not None)
        window.close_session()
        window.opening.open_session(received, read_only=read_only)
        person.wait(lambda: window.view is not None)


def test_enter_means_no_and_leaves_it_closed(qtbot, received):
    with before_window(qtbot, None) as person:
        person.window.opening.open_session(received)
        QTest.keyClick(question(person), Qt.Key.Key_Return)
        person.wait(lambda: not person.window.findChildren(QMessageBox))
        assert person.window.view is None and person.window.opening.welcome.isVisible()
    assert spectra_folders._unsaved == {}
    assert [each.name for each in received.parent.iterdir()] == [received.name]


def test_opened_twice_it_is_asked_once(qtbot, received):
    with before_window(qtbot, None) as person:
        person.window.opening.open_session(received)
        first = question(person)
        person.window.opening.open_session(received)
        person.wait(lambda: [each for each in shown(person) if each is not first])
        (last,) = shown(person)
        last.close()


def shown(person):
    return [each for each in person.window.findChildren(QMessageBox) if each.isVisible()]


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
