"""Catches unhandled exceptions: logs them, writes reports and shows one dialog."""

from __future__ import annotations

import faulthandler
import logging
import os
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from PySide6.QtCore import (
    QCoreApplication,
    QMessageLogContext,
    QObject,
    Qt,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
)
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QPushButton, QWidget

from app.ui.base.crash_report import (
    CrashReport,
    cleaned,
    environment_lines,
    log_folder,
    make_report,
    open_folder,
    truncated,
    write_report,
)
from app.ui.widgets.labels import column, narrow, row, wrapped_label

log = logging.getLogger("spec-o3.window")
LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
MAX_WRITTEN = 30  # Reports per run; an error while painting may repeat sixty times per second.
LOG_BYTES = 256 * 1024

PREFIX = "native-"
MAX_BYTES = 60_000
MAX_REPORTS = 5  # Reports made per start; further files are deleted.


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
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
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
        what = (found.exc_type, found.exc_value, found.exc_traceback)
        where = cleaned(found.err_msg or "Exception ignored in")
        self._guarded(lambda: self._write(make_report(*what, where=where)))

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
            path, "a", LOG_BYTES, 1, encoding="utf-8", delay=True, errors="backslashreplace"
        )

    def handleError(self, record: logging.LogRecord) -> None:
        """Say nothing: Python would write a traceback to the terminal for each line."""


def _handlers(folder: Path) -> list[logging.Handler]:
    """Log to a file of limited size, and to the terminal if there is one."""
    handlers: list[logging.Handler] = []
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        handlers.append(LogFile(folder / "spec-o3.log"))
        handlers[0].setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    if sys.stderr is not None:  # None without a terminal on Windows
        handlers.append(logging.StreamHandler(sys.stderr))
    for handler in handlers:
        handler.setLevel(logging.WARNING)
    return handlers


# Reports of crashes in native code, such as segmentation faults. Python's faulthandler writes a
# traceback to a file, from which the next start makes a crash report.
class NativeWatch:
    """Watches from `begin` to `end`; each process has its own file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / f"{PREFIX}{os.getpid()}.txt"
        self._file: IO[bytes] | None = None

    def begin(self) -> list[CrashReport]:
        """Start watching; return reports of earlier crashes."""
        reports = collect_reports(self._folder)
        with suppress(OSError):  # without a writable folder there is no watching
            self._folder.mkdir(parents=True, exist_ok=True)
            if not faulthandler.is_enabled():  # the user may have enabled it already
                self._file = self._path.open("wb")
                faulthandler.enable(self._file)
        return reports

    def end(self) -> None:
        if self._file is not None:
            faulthandler.disable()
            self._file.close()
            self._file = None
            with suppress(OSError):
                self._path.unlink(missing_ok=True)


def collect_reports(folder: Path) -> list[CrashReport]:
    """Turn the files of processes that no longer run into reports."""
    reports: list[CrashReport] = []
    for path in sorted(folder.glob(f"{PREFIX}*.txt")):
        if not path.is_file() or _is_running(path.stem.removeprefix(PREFIX)):
            continue
        with suppress(OSError):
            with path.open("rb") as file:
                trace = file.read(MAX_BYTES).decode("utf-8", "replace")
            path.unlink()
            if trace.strip() and len(reports) < MAX_REPORTS:
                text = "\n".join([*environment_lines(), "the program crashed:", "", trace])
                summary = cleaned(trace.strip().splitlines()[0])[:400]
                report = CrashReport(summary=summary, text=truncated(cleaned(text)))
                reports.append(write_report(report, folder))
    return reports


def _is_running(number: str) -> bool:
    """Whether a process with this id exists, of this program or another."""
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        return False
    if int(number) == os.getpid():
        return False  # the process id was reused
    if os.name == "nt":
        return False  # Windows does not delete open files, so a running owner keeps its file
    try:
        os.kill(int(number), 0)
    except OSError as error:
        return not isinstance(error, ProcessLookupError)
    return True


# The dialog that reports an internal error and offers its details to send.
class CrashDialog(QDialog):
    """Not modal: the window behind it stays usable."""

    def __init__(self, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._repeats = 0
        self.setWindowTitle(self.tr("Something went wrong"))
        self.setModal(False)
        self.resize(680, 420)
        title = narrow(wrapped_label(self.tr("An internal error occurred"), "title"))
        text = self.tr(
            "Your verdicts are saved and you can continue. If this happens again, please send us "
            "the details. They stay on this computer until you do, and contain no keys, no spectra "
            "and not your home folder's name, but may name a file or an object."
        )
        about = narrow(wrapped_label(text))
        self.summary = narrow(wrapped_label(""))
        self.note = narrow(wrapped_label("", "dim"))
        self.note.hide()
        self.details = QPlainTextEdit(readOnly=True)
        self.details.setAccessibleName(self.tr("Details"))
        self.details.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.details.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.copy_button = QPushButton(self.tr("Copy"))
        self.copy_button.clicked.connect(self._copy)
        self.folder_button = QPushButton(self.tr("Open folder"))
        self.folder_button.clicked.connect(lambda: open_folder(folder, self._show_note))
        self.continue_button = QPushButton(self.tr("Continue"), default=True)
        self.continue_button.setProperty("role", "primary")
        self.continue_button.clicked.connect(self.accept)
        buttons = row(self.copy_button, self.folder_button, 1, self.continue_button)
        texts = title, about, self.summary, self.details, self.note
        column(*texts, buttons, spacing=12, margins=16, parent=self)

    def show_report(self, report: CrashReport) -> None:
        self.summary.setText(report.summary)
        self.details.setPlainText(report.text)
        self._repeats = 0
        self.note.hide()

    def count_another(self, report: CrashReport) -> None:
        self._repeats += 1
        text = self.tr("{count} more since then; the latest: {what}")
        text = text.replace("{count}", str(self._repeats)).replace("{what}", report.summary)
        self._show_note(text[:200])

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.details.toPlainText())

    def _show_note(self, text: str) -> None:
        self.note.setText(text)
        self.note.show()
