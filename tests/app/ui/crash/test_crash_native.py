"""A crash in native code leaves a report for the next start; one while painting is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from app.ui.crash.crash_native import MAX_REPORTS, collect_reports

DIES = """
import faulthandler, sys
from pathlib import Path
from app.ui.crash.crash_native import NativeWatch

watch = NativeWatch(Path(sys.argv[1]))
assert watch.begin() == []
if sys.argv[2] == "dies":
    faulthandler._sigsegv()
watch.end()
"""


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
from app.ui.crash import crash_watch

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
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, "alive\n")
    assert "active painter" not in done.stderr
    (report, *_) = sorted(tmp_path.glob("crash-*.txt"))
    assert "in the midst of painting" in report.read_text(encoding="utf-8")
