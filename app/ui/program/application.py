"""Starts the window, runs the event loop and cleans up after it."""

import signal
import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from agent import plugins
from agent.plugins import PluginFault
from app.core.reviewer_name import settings_path
from app.ui.base.apply_theme import ThemeApplier
from app.ui.base.background.garbage_timer import GarbageTimer
from app.ui.base.crash_report import log_folder
from app.ui.base.program_icon import program_icon
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.languages import install_translators, language_of
from app.ui.base.translation.message_texts import translate_message
from app.ui.program import crash_watch
from app.ui.program.crash_watch import NativeWatch
from app.ui.program.main_window import TITLE, MainWindow
from app.ui.start.importing.given_paths import identify

NAME = "spec-o3-workbench"
SIGNAL_POLL_MS = 200


def start(
    argument: str = "", *, sample: str = "", room: Callable[[MainWindow], object] | None = None
) -> int:
    """Open the window on a session, a list, a spectrum, or the welcome page; or only a room."""
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    garbage_timer = GarbageTimer(application)  # before anything has a thread
    application.setApplicationName(NAME)
    application.setApplicationDisplayName(TITLE)
    application.setDesktopFileName(NAME)
    application.setWindowIcon(program_icon())
    settings = SettingsStore(settings_path())
    current_theme = CurrentTheme()
    install_translators(application, language_of(settings.settings.language))
    theme_applier = ThemeApplier(application, current_theme, settings)
    window = MainWindow(settings, current_theme)
    crash_watch.install(window)
    native = NativeWatch(log_folder())
    if native.begin():
        crashed = QCoreApplication.translate(
            "crash",
            "The program crashed last time. A report is in the crash reports folder (menu Help)",
        )
        window.show_error(crashed)
    PluginFaults(window).found.connect(window.show_error)
    _handle_signals(window)
    if room is not None:
        room(window)
    else:
        window.show()
    garbage_timer.freeze()
    if room is not None:
        pass
    elif sample:
        window.opening.begin_with_sample(sample)
    elif argument:
        open_argument(window, argument)
    else:
        window.reopen()
    # The timer is never stopped: a worker's thread may outlive the window, and would collect it.
    status = application.exec()
    native.end()
    theme_applier.deleteLater()
    return status


def open_argument(window: MainWindow, argument: str) -> None:
    """Open what the command line or a file manager gave."""
    if "://" in argument:
        window.opening.open_session(argument)
        return
    paths = [Path(argument).expanduser().absolute()]
    window.runner.run(lambda: identify(paths), window.opening.open_given, owner=window)


def _handle_signals(window: MainWindow) -> None:
    """Close the window on SIGINT and SIGTERM."""
    # From the event loop, as a signal may interrupt the building of a widget.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: QTimer.singleShot(0, window, window.close))
    # Python handles signals only between bytecodes, so Qt's loop must call some Python regularly.
    timer = QTimer(window, interval=SIGNAL_POLL_MS)
    timer.timeout.connect(lambda: None)
    timer.start()


class PluginFaults(QObject):
    """Turns the faults of plug-ins, which any thread may find, into a signal of the window."""

    found = Signal(str)
    _reported = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._reported.connect(self._show)
        plugins.listeners.append(self._report)
        parent.destroyed.connect(self.stop)

    def stop(self) -> None:
        if self._report in plugins.listeners:
            plugins.listeners.remove(self._report)

    def _report(self, fault: PluginFault) -> None:
        self._reported.emit(str(fault))

    def _show(self, text: str) -> None:
        self.found.emit(translate_message(text))
