"""An error while painting is reported; the painter it leaves must not crash Qt."""

from __future__ import annotations

import os
import subprocess
import sys

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
