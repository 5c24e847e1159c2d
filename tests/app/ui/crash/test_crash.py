"""Our own mistakes: reports without secrets, one dialog, and nothing that makes it worse."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, QtMsgType, Signal, qWarning
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from app.ui.crash import crash_dialog
from app.ui.crash.crash_dialog import MAX_WRITTEN, install
from app.ui.crash.crash_report import MAX_KEPT, cleaned, make_report, write_report


def raised(error: BaseException):
    try:
        raise error
    except BaseException as caught:
        return type(caught), caught, caught.__traceback__


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


def test_a_mistake_in_a_slot_is_said_and_written(qtbot, watch, window, tmp_path):
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


def test_copy_and_go_on(qtbot, watch):
    crash(ValueError("odd"))
    qtbot.waitUntil(lambda: watch.dialog is not None and watch.dialog.isVisible())
    qtbot.mouseClick(watch.dialog.copy_button, Qt.MouseButton.LeftButton)
    assert "ValueError: odd" in QGuiApplication.clipboard().text()
    qtbot.mouseClick(watch.dialog.go_on_button, Qt.MouseButton.LeftButton)
    assert not watch.dialog.isVisible()


def test_the_folder_is_opened(qtbot, watch, monkeypatch, tmp_path):
    opened = []
    monkeypatch.setattr(
        "app.ui.crash.crash_report.QDesktopServices.openUrl", lambda url: opened.append(url) or True
    )
    crash(ValueError("odd"))
    qtbot.waitUntil(lambda: watch.dialog is not None and watch.dialog.isVisible())
    qtbot.mouseClick(watch.dialog.folder_button, Qt.MouseButton.LeftButton)
    assert [Path(url.toLocalFile()) for url in opened] == [tmp_path / "logs"]


def test_one_dialog_however_many_mistakes(qtbot, watch, tmp_path):
    for number in range(MAX_WRITTEN + 20):
        crash(ValueError(f"mistake {number}"))
    qtbot.waitUntil(lambda: watch.dialog is not None and watch.dialog.again.isVisible())
    qtbot.waitUntil(lambda: f"mistake {MAX_WRITTEN + 19}" in watch.dialog.again.text())
    assert watch.dialog.summary.text() == "ValueError: mistake 0"
    assert f"{MAX_WRITTEN + 19} more" in watch.dialog.again.text()
    assert len(reports(tmp_path / "logs")) == min(MAX_WRITTEN, MAX_KEPT)


def test_a_thread_of_ours(qtbot, watch, tmp_path):
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


def test_what_fails_in_a_destructor_is_written_and_not_said(qtbot, watch, tmp_path):
    one = Fragile()
    del one
    assert "could not be closed" in reports(tmp_path / "logs")[0].read_text()
    qtbot.wait(0)
    assert watch.dialog is None


def test_a_fault_in_the_watch_does_not_come_back_to_it(watch, monkeypatch, capfd):
    def broken(*_, **__):
        raise RuntimeError("the report itself")

    monkeypatch.setattr(crash_dialog, "make_report", broken)
    crash(ValueError("the first"))
    assert watch.dialog is None
    assert "the first" in capfd.readouterr().err


def test_nothing_is_shown_while_the_program_ends(qtbot, qapp, watch, tmp_path):
    qapp.aboutToQuit.emit()
    crash(ValueError("late"))
    qtbot.wait(0)
    assert watch.dialog is None
    assert "late" in reports(tmp_path / "logs")[0].read_text()


def test_a_folder_that_cannot_be_written_is_no_further_fault(qtbot, window, tmp_path, capfd):
    (tmp_path / "file").touch()
    made = install(window, tmp_path / "file" / "logs")
    try:
        crash(ValueError("odd"))
        qtbot.waitUntil(lambda: made.dialog is not None and made.dialog.isVisible())
        made.dialog.close()
    finally:
        made.remove()


def test_all_is_as_before_when_it_is_removed(window, tmp_path):
    before = (sys.excepthook, threading.excepthook, sys.unraisablehook)
    made = install(window, tmp_path)
    assert sys.excepthook is not before[0]
    made.remove()
    made.remove()
    assert (sys.excepthook, threading.excepthook, sys.unraisablehook) == before


def test_what_qt_says_goes_into_the_log(watch, tmp_path):
    qWarning("a painter went astray")
    assert "Qt: a painter went astray" in (tmp_path / "logs" / "spec-o3.log").read_text()
    assert set(crash_dialog.LEVELS) == set(QtMsgType)


@pytest.mark.parametrize(
    "secret",
    [
        "hf_abcdefghijklmnop1234",
        "sk-proj-abcdef0123456789",
        "Authorization: Bearer eyJhbGciOi.abc.def",
        "postgresql://ada:geheim99@db.example.org/night",
        "api_key='geheim99'",
        "SPEC_O3_TOKEN=geheim99",
        "https://example.org/list?key=geheim99&x=1",
    ],
)
def test_no_key_gets_into_a_report(secret, monkeypatch):
    monkeypatch.setenv("SOME_VARIABLE", "not for others")
    text = make_report(*raised(RuntimeError(f"refused {secret} by the server"))).text
    for part in ("abcdef", "geheim99", "eyJhbGciOi", "not for others"):
        assert part not in text
    assert "by the server" in text


def test_the_home_folder_is_not_named():
    assert cleaned(f"{Path.home()}/lists/night.csv") == "~/lists/night.csv"


def test_a_report_is_bounded():
    report = make_report(*raised(RuntimeError("long " * 100_000)))
    assert len(report.text) < 70_000
    assert len(report.summary) <= 400


def test_a_bounded_number_is_kept(tmp_path):
    report = make_report(*raised(RuntimeError("again")))
    paths = [write_report(report, tmp_path).path for _ in range(MAX_KEPT + 4)]
    assert reports(tmp_path) == sorted(paths)[4:]
