"""Our own mistakes: written down, said once, and the window goes on."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from collections.abc import Callable
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

from app.ui.crash.crash_message import CrashDialog
from app.ui.crash.crash_report import CrashReport, cleaned, log_folder, make_report, write_report

log = logging.getLogger("spec-o3.window")
LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
MAX_WRITTEN = 30
"""Reports of one run: a fault in what is painted comes sixty times a second."""
LOG_BYTES = 256 * 1024


class CrashWatch(QObject):
    """From `install` to `remove`: whatever nobody caught comes here, from any thread."""

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
        # Not at once: it may have been in the middle of painting.
        self._crashed.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        former = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        sys.excepthook = self._caught
        threading.excepthook = self._caught_in_thread
        sys.unraisablehook = self._caught_unraisable
        self._former = (*former, qInstallMessageHandler(tell_log))
        self._handlers = _handlers(self._folder)
        for handler in self._handlers:
            log.addHandler(handler)
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self._end)

    def remove(self) -> None:
        """As it was before."""
        if self._former is None:
            return
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._former[:3]
        qInstallMessageHandler(self._former[3])
        self._former = None
        for handler in self._handlers:
            log.removeHandler(handler)
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
        self._take(kind, error, trace, "")
        # Python keeps the last traceback, and with it a painter of a widget that failed to paint:
        # Qt crashes over one that outlives its paint event.
        traceback.clear_frames(trace)

    def _caught_in_thread(self, found: threading.ExceptHookArgs) -> None:
        if found.exc_type is not SystemExit:
            name = "" if found.thread is None else found.thread.name
            self._take(found.exc_type, found.exc_value, found.exc_traceback, name)

    def _caught_unraisable(self, found: sys.UnraisableHookArgs) -> None:
        """In a destructor, say: nothing the user did failed, so it is written down alone."""
        message = found.err_msg or "Exception ignored in"
        self._guarded(
            lambda: self._write(
                make_report(
                    found.exc_type, found.exc_value, found.exc_traceback, where=cleaned(message)
                )
            )
        )

    def _take(
        self,
        kind: type[BaseException],
        error: BaseException | None,
        trace: TracebackType | None,
        where: str,
    ) -> None:
        def tell() -> None:
            report = self._write(make_report(kind, error, trace, where=where))
            if not self._is_ending:
                self._crashed.emit(report)

        if not self._guarded(tell):
            sys.__excepthook__(kind, error or kind(), trace)

    def _guarded(self, work: Callable[[], object]) -> bool:
        """Whether it was done: never within itself, and never raising in its turn."""
        if getattr(self._is_busy, "now", False):
            return False
        self._is_busy.now = True
        try:
            work()
        except Exception:  # a fault in here would only come here again
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

    def _end(self) -> None:
        self._is_ending = True


def install(window: QWidget, folder: Path | None = None) -> CrashWatch:
    """`folder` of the reports: without, that of the program's logs."""
    watch = CrashWatch(window, folder or log_folder())
    watch.install()
    return watch


def tell_log(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """What Qt has to say goes where our own log goes."""
    log.log(LEVELS.get(kind, logging.WARNING), "Qt: %s", cleaned(message))


def _handlers(folder: Path) -> list[logging.Handler]:
    """A file that does not grow, and the terminal where there is one."""
    found: list[logging.Handler] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        place = folder / "spec-o3.log"
        found.append(
            RotatingFileHandler(
                place, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8", delay=True
            )
        )
        found[0].setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    except OSError:
        found.clear()
    if sys.stderr is not None:  # a program started by a click has none
        found.append(logging.StreamHandler(sys.stderr))
    for handler in found:
        handler.setLevel(logging.WARNING)
    return found
