"""The program with a window: from the command line to the end of the event loop."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QTimer
from PySide6.QtWidgets import QApplication

from app.core.settings_path import settings_path
from app.ui.apply_theme import ThemeApplier
from app.ui.background.garbage_timer import GarbageTimer
from app.ui.crash import crash_dialog
from app.ui.crash.crash_native import NativeWatch
from app.ui.crash.crash_report import log_folder
from app.ui.importing.given_paths import sort_out
from app.ui.main_window import TITLE, MainWindow
from app.ui.program_icon import program_icon
from app.ui.settings.settings_keeper import SettingsKeeper
from app.ui.theme.theme import CurrentTheme
from app.ui.translation.languages import language_of, speak

NAME = "spec-o3-workbench"
ENDED_AT_ONCE = str(
    QT_TRANSLATE_NOOP(
        "crash",
        "The program broke down the last time. A report of it lies in the folder of crash reports: "
        "menu Window",
    )
)
LISTEN_MS = 200
"""Python hears of a signal only between two steps of its own."""


def start(argument: str = "", *, sample: bool = False) -> int:
    """Open the window on a session, a list, a spectrum, or the welcome page."""
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    application.setApplicationName(NAME)
    application.setApplicationDisplayName(TITLE)
    application.setDesktopFileName(NAME)
    application.setWindowIcon(program_icon())
    settings = SettingsKeeper(settings_path())
    current_theme = CurrentTheme()
    speak(application, language_of(settings.settings.language))
    dresser = ThemeApplier(application, current_theme, settings)
    window = MainWindow(settings, current_theme)
    crash_dialog.install(window)
    native = NativeWatch(log_folder())
    if native.begin():
        window.say(QCoreApplication.translate("crash", ENDED_AT_ONCE))
    _hear_signals(window)
    tidying = GarbageTimer(window)
    window.show()
    tidying.settle()
    if sample:
        window.begin_with_sample()
    elif argument:
        open_argument(window, argument)
    else:
        window.reopen()
    status = application.exec()
    tidying.stop()
    native.end()
    dresser.deleteLater()
    return status


def open_argument(window: MainWindow, argument: str) -> None:
    """What the command line or a file manager named."""
    if "://" in argument:
        window.open_session(argument)
        return
    paths = [Path(argument).expanduser().absolute()]
    window.runner.run(lambda: sort_out(paths), window.open_given, owner=window)


def _hear_signals(window: MainWindow) -> None:
    """Not at once: a signal comes in the middle of anything that is being built."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: QTimer.singleShot(0, window, window.close))
    ticking = QTimer(window, interval=LISTEN_MS)
    ticking.timeout.connect(_breathe)
    ticking.start()


def _breathe() -> None:
    """Nothing: it lets Python look at its signals."""
