"""Unhandled exceptions: one dialog, a report each, and no further damage."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, QtMsgType, Signal, qWarning
from PySide6.QtWidgets import QPushButton, QWidget

from app.ui.crash import crash_watch
from app.ui.crash.crash_report import MAX_KEPT
from app.ui.crash.crash_watch import MAX_WRITTEN, install
from tests.app.ui.crash.raised import raised


def reports(folder: Path) -> list[Path]:
    return sorted(folder.glob("crash-*.txt"))


@pytest.fixture
def window(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    return window


@pytest.fixture
def watch(window, tmp_path, qtbot, capfd):
    made = install(window, tmp_path / "logs")
    yield made
    made.remove()
    if made.dialog is not None:
        made.dialog.close()


def crash(error: BaseException) -> None:
    sys.excepthook(*raised(error))


class Sender(QObject):
    pressed = Signal()

    def fail(self) -> None:
        raise RuntimeError("a slot gave up")


def test_an_error_in_a_slot_is_shown_and_written(qtbot, watch, window, tmp_path):
    button = QPushButton("x", window)
    sender = Sender()
    button.clicked.connect(sender.fail)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: watch.dialog is not None and watch.dialog.isVisible())
    assert watch.dialog.summary.text() == "RuntimeError: a slot gave up"
    text = reports(tmp_path / "logs")[0].read_text()
    assert "in fail" in text
    assert text == watch.dialog.details.toPlainText()
    assert not watch.dialog.isModal()
    assert "a slot gave up" in (tmp_path / "logs" / "spec-o3.log").read_text()


def test_many_errors_share_one_dialog(qtbot, watch, tmp_path):
    for number in range(MAX_WRITTEN + 20):
        crash(ValueError(f"mistake {number}"))
    qtbot.waitUntil(lambda: watch.dialog is not None and watch.dialog.note.isVisible())
    qtbot.waitUntil(lambda: f"mistake {MAX_WRITTEN + 19}" in watch.dialog.note.text())
    assert watch.dialog.summary.text() == "ValueError: mistake 0"
    assert f"{MAX_WRITTEN + 19} more" in watch.dialog.note.text()
    assert len(reports(tmp_path / "logs")) == min(MAX_WRITTEN, MAX_KEPT)


def test_an_error_in_a_thread(qtbot, watch, tmp_path):
    def work():
        raise LookupError("lost")

    thread = threading.Thread(target=work, name="reader 3")
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: watch.dialog is not None and watch.dialog.isVisible())
    assert "thread: reader 3" in reports(tmp_path / "logs")[0].read_text()


class Fragile:
    def __del__(self):
        raise OSError("could not be closed")


def test_an_error_in_a_destructor_is_written_but_not_shown(qtbot, watch, tmp_path):
    one = Fragile()
    del one
    assert "could not be closed" in reports(tmp_path / "logs")[0].read_text()
    qtbot.wait(0)
    assert watch.dialog is None


def test_an_error_in_the_watch_is_not_handled_by_it(watch, monkeypatch, capfd):
    def broken(*_, **__):
        raise RuntimeError("the report itself")

    monkeypatch.setattr(crash_watch, "make_report", broken)
    crash(ValueError("the first"))
    assert watch.dialog is None
    assert "the first" in capfd.readouterr().err


def test_nothing_is_shown_while_the_program_ends(qtbot, qapp, watch, tmp_path):
    qapp.aboutToQuit.emit()
    crash(ValueError("late"))
    qtbot.wait(0)
    assert watch.dialog is None
    assert "late" in reports(tmp_path / "logs")[0].read_text()


def test_an_unwritable_folder_causes_no_further_error(qtbot, window, tmp_path, capfd):
    (tmp_path / "file").touch()
    made = install(window, tmp_path / "file" / "logs")
    try:
        crash(ValueError("odd"))
        qtbot.waitUntil(lambda: made.dialog is not None and made.dialog.isVisible())
        made.dialog.close()
    finally:
        made.remove()


def test_a_full_disk_and_odd_letters_write_no_traceback_of_the_log(
    qtbot, window, tmp_path, capfd, monkeypatch
):
    """Python's logging would write one to the terminal for each line."""
    (tmp_path / "spec-o3.log").symlink_to("/dev/full")
    made = install(window, tmp_path)
    try:
        crash(ValueError("odd \udcff"))
        qWarning("and this")
        qtbot.waitUntil(lambda: made.dialog is not None and made.dialog.isVisible())
        made.dialog.close()
    finally:
        made.remove()
    said = capfd.readouterr().err
    assert "odd" in said and "Logging error" not in said


def test_a_lone_surrogate_is_logged(qtbot, window, tmp_path, capfd):
    made = install(window, tmp_path)
    try:
        crash(ValueError("name \udcff"))
        qtbot.waitUntil(lambda: made.dialog is not None and made.dialog.isVisible())
        made.dialog.close()
    finally:
        made.remove()
    assert "name \\udcff" in (tmp_path / "spec-o3.log").read_text(encoding="utf-8")
    said = capfd.readouterr().err
    assert "name" in said and "Logging error" not in said


def test_removing_restores_the_hooks(window, tmp_path):
    before = (sys.excepthook, threading.excepthook, sys.unraisablehook)
    made = install(window, tmp_path)
    assert sys.excepthook is not before[0]
    made.remove()
    made.remove()
    assert (sys.excepthook, threading.excepthook, sys.unraisablehook) == before


def test_qt_messages_go_to_the_log(watch, tmp_path):
    qWarning("a painter went astray")
    assert "Qt: a painter went astray" in (tmp_path / "logs" / "spec-o3.log").read_text()
    assert set(crash_watch.LEVELS) == set(QtMsgType)
