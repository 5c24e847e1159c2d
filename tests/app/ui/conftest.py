"""The parts of a window on a small session, and a check of what tests leave behind."""

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from agent.evidence import measurements
from app.core.session.session import Session, open_session
from app.ui.base.actions.commands import Commands
from app.ui.base.background.runner import Runner
from app.ui.base.keys.keymap import Keymap
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.program import session_view
from app.ui.session.candidate.current import CurrentCandidate
from app.ui.session.candidate.object_velocity import ObjectVelocity
from app.ui.session.candidate.view_options import View
from app.ui.session.inspection.controller import InspectionController
from app.ui.session.session_bridge import SessionBridge
from app.ui.session.session_context import SessionContext
from tests.app.ui.candidates import sample_file
from tests.app.ui.scripted_agent import COMMAND
from tests.app.ui.steps import speaking
from tests.app.ui.whole_window import LONG_MS, Person, before_window
from tests.measured_once import once
from tests.processes import LONG_S


@pytest.fixture
def qtbot(qtbot: QtBot) -> QtBot:
    """Waits long where a test sets no timeout."""
    for name in ("waitUntil", "waitSignal", "waitSignals", "waitExposed", "waitActive"):
        setattr(qtbot, name, partial(getattr(qtbot, name), timeout=LONG_MS))
    return qtbot


@pytest.fixture(scope="module", autouse=True)
def older_is_frozen() -> None:
    """What was there before a file's tests is not searched for garbage after each of them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def modules_known() -> list[int]:
    """The number of modules when their objects were last frozen."""
    return [len(sys.modules)]


@pytest.fixture(autouse=True)
def nothing_left(modules_known: list[int]) -> Iterator[None]:
    """No thread, no window and no pressed mouse button outlives its test."""
    before, pressed = set(threading.enumerate()), QApplication.mouseButtons()
    # As in the program (`GarbageTimer`): a widget that a reading thread collects is a crash.
    gc.disable()
    yield
    left = [thread for thread in threading.enumerate() if thread not in before]
    for thread in left:
        thread.join(LONG_S)
    assert not [thread.name for thread in left if thread.is_alive()]
    gc.collect()
    gc.enable()
    if len(sys.modules) > modules_known[0]:  # modules loaded late stay, too
        gc.freeze()
        modules_known[0] = len(sys.modules)
    shown = [widget for widget in QApplication.topLevelWidgets() if widget.isVisible()]
    assert not shown, f"left open: {shown}"
    # With one pressed, Qt shows no tooltip and tells no widget that the mouse is over it. QTest
    # leaves one pressed after a double click, too.
    assert QApplication.mouseButtons() in (Qt.MouseButton.NoButton, pressed)


MEASURED = {name: once(getattr(measurements, name), copied=True) for name in (
    "zoom_numbers", "star_velocity", "measure_line", "measure_indices"
)}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def measured_once(request: pytest.FixtureRequest) -> Iterator[None]:
    """Most windows show the same few spectra. In modules that count what the window's thread does
    everything is measured anew."""
    with pytest.MonkeyPatch.context() as patch:
        if not hasattr(request.module, "counted"):
            for name, measured in MEASURED.items():
                patch.setattr(measurements, name, measured)
        yield


@pytest.fixture
def place(tmp_path) -> Path:
    """A session of the first twelve candidates of the bundled sample, not judged."""
    return sample_file(tmp_path)


@pytest.fixture
def person(qtbot, place) -> Iterator[Person]:
    """Someone before the whole window on that session."""
    with before_window(qtbot, place) as before:
        yield before


@pytest.fixture
def scripted_window(monkeypatch) -> None:
    """In windows the agent does what the object's name says."""
    made = partial(InspectionController, command=COMMAND)
    monkeypatch.setattr(session_view, "InspectionController", made)


@pytest.fixture
def session(place) -> Iterator[Session]:
    with open_session(place, "Ada") as opened:
        yield opened


@pytest.fixture
def runner(qapp) -> Iterator[Runner]:
    made = Runner()
    yield made
    made.close()


@pytest.fixture
def current_theme(qapp) -> CurrentTheme:
    return CurrentTheme()


@pytest.fixture
def restyled(qapp) -> Iterator[QApplication]:
    """The application, which looks afterwards as it did before."""
    style, font, palette = qapp.style().name(), qapp.font(), qapp.palette()
    yield qapp
    qapp.setStyleSheet("")
    qapp.setStyle(style)
    qapp.setFont(font)
    qapp.setPalette(palette)


@pytest.fixture
def chinese(qapp) -> Iterator[None]:
    with speaking("zh"):
        yield


@pytest.fixture
def context(qtbot, session) -> Iterator[SessionContext]:
    """The shared objects of a window; no candidate is shown yet."""
    with opened_context(session) as context:
        yield context


@contextmanager
def opened_context(session: Session) -> Iterator[SessionContext]:
    bridge, runner, settings = SessionBridge(session), Runner(), SettingsStore()
    current = CurrentCandidate(bridge, runner)
    view = View()
    velocity = ObjectVelocity(current, view, current)
    agent = InspectionController(bridge, current, runner, settings)
    try:
        yield SessionContext(
            bridge=bridge, current=current, view=view, velocity=velocity, agent=agent,
            commands=Commands(), keymap=Keymap(settings), current_theme=CurrentTheme(),
            runner=runner, settings=settings
        )  # fmt: skip
    finally:
        for each in (agent, current, runner, bridge):
            each.close()
