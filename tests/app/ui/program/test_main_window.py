"""The main window: opening and closing sessions."""

import os
import sys
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget

from agent.child_process.start_child import start_child
from agent.errors import WorkbenchError
from app.core.errors import SessionError, SessionHeldError
from app.core.session.session import open_session
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.program import main_window, session_view
from app.ui.start import opening
from app.ui.start.recent_list import RecentRow, short_folder
from app.worker import process
from tests.app.ui.scripted_agent import show_candidate
from tests.app.ui.steps import click, is_there
from tests.app.ui.whole_window import CTRL, before_window

Key = Qt.Key


def test_an_invalid_session_is_reported_on_the_welcome_page(qtbot, tmp_path):
    (tmp_path / "odd.speco3").write_text("no session", encoding="utf-8")
    with before_window(qtbot, None) as person:
        person.window.opening.open_session(tmp_path / "odd.speco3")
        person.wait(person.window.opening.welcome.isVisible)
        assert person.reads("odd.speco3")


def test_a_locked_session_can_be_opened_read_only(qtbot, place):
    with open_session(place, "Bea"), before_window(qtbot, None) as person:
        person.window.opening.open_session(place)
        person.wait(person.window.opening.locked.isVisible)
        person.window.opening.open_session(place, read_only=True)
        person.wait(lambda: person.window.view is not None)
        person.sees(1)
        person.press("a")
        assert "read-only" in person.view.status.message.full_text and person.verdicts() == {}


def test_a_session_that_cannot_be_shown_is_a_sentence_on_the_start_page(
    qtbot, tmp_path, place, monkeypatch
):
    """The session is closed, a bug leaves a report, and the window works on."""
    damaged, bug = SessionError("candidate 3 is damaged"), TypeError("'x' < 3")
    parts = ("InspectionController", "JudgingPage", "StatusLine", "TopBar")
    told = [0]
    monkeypatch.setattr(opening, "log_folder", lambda: tmp_path / f"log{told[0]}")
    with before_window(qtbot, None) as person:
        window = person.window
        for part, (error, words) in product(parts, [(damaged, "candidate 3"), (bug, "backup")]):

            def fail(*about, error=error):
                raise error

            told[0] += 1
            with monkeypatch.context() as broken:
                broken.setattr(session_view, part, fail)
                window.opening.open_session(place)
                person.wait(window.opening.welcome.problem.isVisible)
            assert words in window.opening.welcome.problem.text and window.view is None
            assert window.opening.welcome.isVisible()
            QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            assert not window.findChildren(session_view.SessionView)
            assert len(list((tmp_path / f"log{told[0]}").glob("crash-*"))) == (error is bug)
            open_session(place, "Bea").close()  # nobody holds it
            window.opening.open_session(place)
            person.wait(lambda: window.view is not None)
            person.sees(1)
            person.press("a", sees=2)
            assert person.verdicts() == {1: "ACCEPT"}
            person.press("z", CTRL, sees=1)
            person.press("w", CTRL)


def test_nobody_reads_the_password_of_a_database(qtbot, place, monkeypatch):
    """Not while it is opened, not beside an error, not in the list of recent sessions."""
    url = "postgresql://ada:geheim@127.0.0.1:9/night?sslpassword=geheim"
    with before_window(qtbot, None) as person:
        window = person.window
        window.settings.change(recent=(url,))
        window.opening.open_session(url)
        assert person.reads("postgresql://ada@127.0.0.1:9/night")
        seen = texts_of(window)
        person.wait(window.opening.welcome.problem.isVisible)
        assert "127.0.0.1" in window.opening.welcome.problem.text
        seen += texts_of(window)
        window.opening.locked.show_holder(url, SessionHeldError("it is open", "Bea"))
        seen += texts_of(window)
        assert sum("127.0.0.1" in text for text in seen) > 5
        assert not any("geheim" in text for text in seen)


def texts_of(window):
    texts = [window.windowTitle()]
    for widget in window.findChildren(QWidget):
        texts += [widget.toolTip(), widget.accessibleName(), widget.accessibleDescription()]
        texts.append(widget.text() if isinstance(widget, QLabel | QAbstractButton) else "")
        if isinstance(widget, RecentRow):
            texts += [short_folder(widget.session), widget.session.name]
    return [str(text) for text in texts]


def test_an_error_is_shown_once_and_a_closed_window_leaves_no_windows(qtbot, place):
    for _ in range(2):
        with before_window(qtbot, place) as person:
            person.window.runner.failed.emit(WorkbenchError("the disk is full"))
            assert [each.message for each in person.view.status.errors] == ["the disk is full"]
            person.press("a")
            person.press("4", CTRL)
            assert person.window.windowTitle().startswith("night · ")
            person.press("w", CTRL)
            assert person.window.windowTitle() == main_window.TITLE
    assert not [each for each in QApplication.topLevelWidgets() if each.isVisible()]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc for processes")
@pytest.mark.parametrize("work", ["endless", "deaf", "batch"])
def test_it_closes_while_the_agent_runs(qtbot, place, scripted_window, monkeypatch, work):
    """It leaves no process, even if the worker ignores requests (`deaf`)."""
    monkeypatch.setattr(process, "start_child", start_child)  # no forked child, which is not ours
    others = set(workers())  # of tests before this one
    with before_window(qtbot, place) as person:
        agent = person.view.context.agent
        if work == "batch":
            person.press("r", CTRL)
            person.wait(lambda: agent.list_run.state.model)
        else:
            show_candidate(qtbot, person.view.context, 1, work)
            person.press("v")
            person.wait(lambda: agent.shown.run is not None and agent.shown.run.partial_text)
        children = set(workers()) - others
        assert children
        person.press("q", CTRL)
        if work == "batch":
            person.press(Key.Key_Escape)  # stays
            assert person.window.isVisible() and agent.is_on_list
            person.press("q", CTRL)
            leave_the_list(person)
        assert not person.window.isVisible()
    assert not [pid for pid in children if is_there(pid)]


def leave_the_list(person):
    (leave,) = (b for b in person.window.leaving.question.buttons() if "leave" in b.text())
    click(person.qtbot, leave)


def test_a_list_that_is_left_while_it_is_inspected_goes_on_at_the_next_opening(
    qtbot, place, scripted_window, tmp_path
):
    settings = SettingsStore(tmp_path / "config" / "settings.toml")
    with before_window(qtbot, place, settings) as person:
        person.press("r", CTRL)
        person.wait(lambda: person.view.context.agent.list_run.state.model)
        person.press("w", CTRL)
        leave_the_list(person)
        person.wait(lambda: person.window.view is None)
        recent = person.window.opening.welcome.recent  # Enter opens the last, not the sample
        person.wait(lambda: person.window.focusWidget() is recent.last)
        person.press(Key.Key_Return)
        person.wait(lambda: person.window.view and person.view.context.agent.is_on_list)
        assert person.session.location == place
        person.press("q", CTRL)
        leave_the_list(person)
    with before_window(qtbot, place, SettingsStore(settings.path)) as person:
        person.wait(lambda: person.view.context.agent.is_on_list)
        person.press("r", CTRL)
        person.wait(lambda: not person.view.context.agent.list_run.state.is_running)
    with before_window(qtbot, place, SettingsStore(settings.path)) as person:
        assert not person.view.context.agent.list_run.state.is_running  # the person stopped it


def workers():
    """Ids of our child processes."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            told = place.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if int(told.rpartition(")")[2].split()[1]) == os.getpid():
            found.append(int(place.parent.name))
    return found
