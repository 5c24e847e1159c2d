"""The whole window at work until it is killed. Run as a program: the nursery it comes from."""

import os
import random
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.ui.base.background.garbage_timer import GarbageTimer
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.program.main_window import MainWindow
from app.ui.program.session_view import SessionView
from tests.app.core.session import recorder
from tests.app.core.session.recorder import Order, line_of, tell
from tests.attacks.sessions.kills import MARK
from tests.processes import wait_until

KEYS = (*"aaxxu4321nbv", Qt.Key.Key_Backspace, Qt.Key.Key_Backspace)


def work(order: Order) -> None:
    """Keys by chance; each line of the log is told once the window has been told of it."""
    os.environ[MARK] = order["mark"]  # its worker has it, too
    chance = random.Random(order["seed"])
    _ = QApplication([])
    view = opened(window := new_window(), Path(order["location"]))
    session = view.session
    known = {entry.id for entry in session.history()}

    def on_changed(_change: Any) -> None:
        for entry in session.history():
            if entry.id not in known:
                known.add(entry.id)
                tell("kept", entry.id, line_of(entry))

    view.context.bridge.changed.connect(on_changed)
    tell("open")
    while True:
        QTest.keyClick(QApplication.focusWidget() or window, chance.choice(KEYS))
        QTest.qWait(chance.choice([0, 0, 5, 30]))


def new_window() -> MainWindow:
    """As the program makes it."""
    settings = SettingsStore()
    settings.change(reviewer="Ada")
    window = MainWindow(settings, CurrentTheme())
    GarbageTimer(window)
    window.show()
    window.activateWindow()
    return window


def opened(window: MainWindow, location: Path) -> SessionView:
    """Open a session, and wait for its first spectrum."""
    window.opening.open_session(location)
    until = partial(wait_until, rest=partial(QTest.qWait, 5))
    until(lambda: window.view is not None and window.view.context.current.is_painted)
    assert window.view is not None
    return window.view


recorder.WORKS["whole window"] = work

if __name__ == "__main__":
    recorder.main()
