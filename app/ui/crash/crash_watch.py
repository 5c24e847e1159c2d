"""Catches unhandled exceptions: logs them, writes reports and shows one dialog."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Any

from PySide6.QtCore import (
    QCoreApplication,
    QMessageLogContext,
    QObject,
    Qt,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QWidget

from app.ui.crash.cleaning import cleaned
from app.ui.crash.crash_dialog import CrashDialog
from app.ui.crash.crash_report import CrashReport, log_folder, make_report, write_report

log = logging.getLogger("spec-o3.window")
LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
MAX_WRITTEN = 30
"""Reports per run; an error while painting may repeat sixty times per second."""
LOG_BYTES = 256 * 1024


class CrashWatch(QObject):
    """Handles unhandled exceptions of all threads from `install` to `remove`."""

    _crashed = Signal(object)

    def __init__(self, window: QWidget, folder: Path) -> None:
        super().__init__(window)
        self._window, self._folder = window, folder
        self._is_busy = threading.local()
        self._is_ending = False
        self._written = 0
        self._former: tuple[Any, Any, Any, Any] | None = None
        self._handlers: list[logging.Handler] = []
        self.dialog: CrashDialog | None = None
        # Queued, as the error may have happened while painting.
        self._crashed.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        former = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        sys.excepthook = self._caught
        threading.excepthook = self._caught_in_thread
        sys.unraisablehook = self._caught_unraisable
        self._former = (*former, qInstallMessageHandler(log_qt_message))
        self._handlers = _handlers(self._folder)
        for handler in self._handlers:
            log.addHandler(handler)
        if (application := QCoreApplication.instance()) is not None:
            application.aboutToQuit.connect(self._on_quit)

    def remove(self) -> None:
        if self._former is None:
            return
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._former[:3]
        qInstallMessageHandler(self._former[3])
        self._former = None
        for handler in self._handlers:
            log.removeHandler(handler)
            with suppress(OSError):  # what a full disk did not take is written once more
                handler.close()

    def _caught(
        self,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            QCoreApplication.quit()
            return
        self._handle(kind, error, trace, "")
        # Python keeps the last traceback, and with it the QPainter of a widget that failed to
        # paint; Qt crashes if a painter outlives its paint event.
        traceback.clear_frames(trace)

    def _caught_in_thread(self, found: threading.ExceptHookArgs) -> None:
        if found.exc_type is not SystemExit:
            name = "" if found.thread is None else found.thread.name
            self._handle(found.exc_type, found.exc_value, found.exc_traceback, name)

    def _caught_unraisable(self, found: sys.UnraisableHookArgs) -> None:
        """Write a report without a dialog, as nothing that the user did has failed."""
        message = found.err_msg or "Exception ignored in"
        self._guarded(
            lambda: self._write(
                make_report(
                    found.exc_type, found.exc_value, found.exc_traceback, where=cleaned(message)
                )
            )
        )

    def _handle(
        self,
        kind: type[BaseException],
        error: BaseException | None,
        trace: TracebackType | None,
        where: str,
    ) -> None:
        def report_error() -> None:
            report = self._write(make_report(kind, error, trace, where=where))
            if not self._is_ending:
                self._crashed.emit(report)

        if not self._guarded(report_error):
            sys.__excepthook__(kind, kind() if error is None else error, trace)

    def _guarded(self, work: Callable[[], object]) -> bool:
        """Run `work` without recursion or exceptions; return whether it succeeded."""
        if getattr(self._is_busy, "now", False):
            return False
        self._is_busy.now = True
        try:
            work()
        except Exception:  # an error here would only come back here
            return False
        finally:
            self._is_busy.now = False
        return True

    def _write(self, report: CrashReport) -> CrashReport:
        log.error("%s", report.text)
        if self._written >= MAX_WRITTEN:
            return report
        self._written += 1
        return write_report(report, self._folder)

    def _show(self, report: CrashReport) -> None:
        if self._is_ending or QCoreApplication.closingDown():
            return
        if self.dialog is not None and self.dialog.isVisible():
            self.dialog.count_another(report)
            return
        if self.dialog is None:
            self.dialog = CrashDialog(self._folder, self._window)
        self.dialog.show_report(report)
        self.dialog.show()

    def _on_quit(self) -> None:
        self._is_ending = True


def install(window: QWidget, folder: Path | None = None) -> CrashWatch:
    """Install the hooks; reports go to `folder`, by default the log folder."""
    watch = CrashWatch(window, folder or log_folder())
    watch.install()
    return watch


def log_qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Send Qt's messages to our log."""
    log.log(LEVELS.get(kind, logging.WARNING), "Qt: %s", cleaned(message))


class LogFile(RotatingFileHandler):
    """A file of limited size that takes any character; a full disk is nobody's error here."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path,
            maxBytes=LOG_BYTES,
            backupCount=1,
            encoding="utf-8",
            errors="backslashreplace",
            delay=True,
        )

    def handleError(self, record: logging.LogRecord) -> None:
        """Say nothing: Python would write a traceback to the terminal for each line."""


def _handlers(folder: Path) -> list[logging.Handler]:
    """Log to a file of limited size, and to the terminal if there is one."""
    handlers: list[logging.Handler] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handlers.append(LogFile(folder / "spec-o3.log"))
        handlers[0].setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    except OSError:
        handlers.clear()
    if sys.stderr is not None:  # None without a terminal on Windows
        handlers.append(logging.StreamHandler(sys.stderr))
    for handler in handlers:
        handler.setLevel(logging.WARNING)
    return handlers
