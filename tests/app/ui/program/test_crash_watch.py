"""Unhandled exceptions: one dialog, a report each, and no further damage."""

import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import Mock

import pytest
from PySide6.QtCore import QObject, QtMsgType, Signal, qWarning
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from app.ui.base.crash_report import MAX_KEPT, CrashReport
from app.ui.program import crash_watch
from app.ui.program.crash_watch import (
    MAX_REPORTS,
    MAX_WRITTEN,
    CrashDialog,
    collect_reports,
    install,
)
from tests.app.ui.program.raised import raised
from tests.app.ui.steps import click, shown_in

DIES = """
import faulthandler, sys
from pathlib import Path
from app.ui.program.crash_watch import NativeWatch

watch = NativeWatch(Path(sys.argv[1]))
assert watch.begin() == []
if sys.argv[2] == "dies":
    faulthandler._sigsegv()
watch.end()
"""


def reports(folder: Path) -> list[Path]:
    return sorted(folder.glob("crash-*.txt"))


@pytest.fixture
def window(qtbot):
    return shown_in(qtbot, QWidget())


@contextmanager
def watching(window, folder):
    made = install(window, folder)
    try:
        yield made
    finally:
        made.remove()
        if made.dialog is not None:
            made.dialog.close()


@pytest.fixture
def watch(window, tmp_path, qtbot, capfd):
    with watching(window, tmp_path / "logs") as made:
        yield made


def is_told(qtbot, watch):
    """Wait until the dialog tells of an error."""
    qtbot.waitUntil(lambda: watch.dialog is not None and watch.dialog.isVisible())


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
    click(qtbot, button)
    is_told(qtbot, watch)
    assert watch.dialog.summary.text() == "RuntimeError: a slot gave up"
    text = reports(tmp_path / "logs")[0].read_text()
    assert "in fail" in text and text == watch.dialog.details.toPlainText()
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
    thread = threading.Thread(target=Mock(side_effect=LookupError("lost")), name="reader 3")
    thread.start()
    thread.join()
    is_told(qtbot, watch)
    assert "thread: reader 3" in reports(tmp_path / "logs")[0].read_text()


class Fragile:
    def __del__(self):
        raise OSError("could not be closed")


def test_errors_of_destructors_and_of_the_end_are_written_but_not_shown(
    qtbot, watch, tmp_path, qapp
):
    one = Fragile()
    del one
    assert "could not be closed" in reports(tmp_path / "logs")[0].read_text()
    qtbot.wait(0)
    assert watch.dialog is None
    qWarning("a painter went astray")
    assert "Qt: a painter went astray" in (tmp_path / "logs" / "spec-o3.log").read_text()
    assert set(crash_watch.LEVELS) == set(QtMsgType)
    qapp.aboutToQuit.emit()
    crash(ValueError("late"))
    qtbot.wait(0)
    assert watch.dialog is None and "late" in reports(tmp_path / "logs")[-1].read_text()


def test_an_error_in_the_watch_is_not_handled_by_it(watch, monkeypatch, capfd):
    monkeypatch.setattr(
        crash_watch, "make_report", Mock(side_effect=RuntimeError("the report itself"))
    )
    crash(ValueError("the first"))
    assert watch.dialog is None and "the first" in capfd.readouterr().err


def test_an_unwritable_folder_causes_no_further_error(qtbot, window, tmp_path, capfd):
    (tmp_path / "file").touch()
    with watching(window, tmp_path / "file" / "logs") as made:
        crash(ValueError("odd"))
        is_told(qtbot, made)


def test_a_full_disk_and_odd_letters_write_no_traceback_of_the_log(
    qtbot, window, tmp_path, capfd, monkeypatch
):
    """Python's logging would write one to the terminal for each line."""
    (tmp_path / "spec-o3.log").symlink_to("/dev/full")
    with watching(window, tmp_path) as made:
        crash(ValueError("odd \udcff"))
        qWarning("and this")
        is_told(qtbot, made)
    said = capfd.readouterr().err
    assert "odd" in said and "Logging error" not in said


def test_a_lone_surrogate_is_logged(qtbot, window, tmp_path, capfd):
    with watching(window, tmp_path) as made:
        crash(ValueError("name \udcff"))
        is_told(qtbot, made)
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


@pytest.fixture
def dialog(qtbot, tmp_path):
    dialog = CrashDialog(tmp_path / "logs")
    dialog.show_report(CrashReport(summary="ValueError: odd", text="a traceback"))
    return shown_in(qtbot, dialog)


@pytest.mark.parametrize("can_open", [True, False])
def test_the_folder_is_opened_or_named(qtbot, dialog, monkeypatch, tmp_path, can_open):
    opened = []
    opens = "app.ui.base.crash_report.QDesktopServices.openUrl"
    monkeypatch.setattr(opens, lambda url: opened.append(url) or can_open)
    click(qtbot, dialog.folder_button)
    assert [Path(url.toLocalFile()) for url in opened] == [tmp_path / "logs"]
    assert (str(tmp_path / "logs") in dialog.note.text()) is not can_open


def test_later_errors_are_counted_and_the_first_is_copied(dialog, qtbot):
    for number in range(3):
        dialog.count_another(CrashReport(summary=f"error {number}", text=""))
    assert dialog.note.text() == "3 more since then; the latest: error 2"
    assert dialog.summary.text() == "ValueError: odd" and not dialog.isModal()
    click(qtbot, dialog.copy_button)
    assert QGuiApplication.clipboard().text() == "a traceback"
    click(qtbot, dialog.continue_button)
    assert not dialog.isVisible()


def names(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]


def ran(folder: Path, how: str) -> int:
    command = [sys.executable, "-c", DIES, str(folder), how]
    environment = {name: value for name, value in os.environ.items() if name[:6] != "PYTHON"}
    return subprocess.run(command, env=environment, timeout=120, check=False).returncode


def test_a_crash_in_native_code_becomes_a_report(tmp_path):
    assert ran(tmp_path / "logs", "dies") != 0
    (report,) = collect_reports(tmp_path / "logs")
    assert "Segmentation fault" in report.summary
    assert 'File "<string>"' in report.text and "spec-o3-workbench" in report.text
    assert report.path.name.startswith("crash-") and report.path.read_text() == report.text
    assert collect_reports(tmp_path / "logs") == []
    assert names(tmp_path / "logs") == [report.path.name]


def test_a_normal_exit_leaves_nothing(tmp_path):
    assert ran(tmp_path / "logs", "ends") == 0 and names(tmp_path / "logs") == []


def test_files_of_other_processes(tmp_path):
    """Files of running programs stay; empty files and those over the limit are deleted."""
    (tmp_path / f"native-{os.getppid()}.txt").write_text("still at work")
    (tmp_path / "native-99999999.txt").write_text("")
    for number in range(MAX_REPORTS + 3):
        (tmp_path / f"native-x{number}.txt").write_text(f"Fatal {number}\n" + "x" * 200_000)
    found = collect_reports(tmp_path)
    assert [each.summary for each in found] == [f"Fatal {n}" for n in range(MAX_REPORTS)]
    assert all(len(each.text) < 70_000 for each in found)
    left = [name for name in names(tmp_path) if name.startswith("native-")]
    assert left == [f"native-{os.getppid()}.txt"]


PROGRAM = """
import sys
from pathlib import Path
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication, QWidget
from app.ui.program import crash_watch

application = QApplication([])

class Faulty(QWidget):
    painted = 0

    def paintEvent(self, event):
        painter = QPainter(self)
        painter.drawLine(0, 0, 5, 5)
        Faulty.painted += 1
        raise ValueError("in the midst of painting")

window = Faulty()
watch = crash_watch.install(window, Path(sys.argv[1]))
window.resize(200, 200)
window.show()
while Faulty.painted < 30:
    window.update()
    application.processEvents()
window.close()
watch.remove()
del window
print("alive")
"""


def test_an_error_while_painting_is_no_crash(tmp_path):
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "alive\n")
    assert "active painter" not in done.stderr
    (report, *_) = sorted(tmp_path.glob("crash-*.txt"))
    assert "in the midst of painting" in report.read_text(encoding="utf-8")
