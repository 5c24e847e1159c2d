"""The window of key_window.py as a program that prints key presses and the actions they run."""

import sys

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QApplication

from tests.app.ui.base.keys.key_window import KeyWindow


class KeyPressReporter(QObject):
    """Reports key presses before the key filter sees them."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(watched, QWindow) and event.type() == QEvent.Type.KeyPress:
            report("press")
        return False


def report(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def main() -> None:
    application = QApplication(sys.argv)
    window = KeyWindow()
    window.commands.ran.connect(report)
    window.commands.add("quit", application.quit)
    reporter = KeyPressReporter()
    application.installEventFilter(reporter)
    window.show()
    window.table.setFocus()
    QTimer.singleShot(0, window, lambda: report(f"window {int(window.winId())}"))
    application.exec()
    window.stop_keys()
    window.deleteLater()


if __name__ == "__main__":
    main()
