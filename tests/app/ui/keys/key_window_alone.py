"""The small window of key_window.py as a program, which says what reaches it and what it does."""

from __future__ import annotations

import sys

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QApplication

from tests.app.ui.keys.key_window import KeyWindow


class Ear(QObject):
    """Hears before the key filter does."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(watched, QWindow) and event.type() == QEvent.Type.KeyPress:
            say("press")
        return False


def say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def main() -> None:
    application = QApplication(sys.argv)
    window = KeyWindow()
    window.commands.ran.connect(say)
    window.commands.add("quit", application.quit)
    ear = Ear()
    application.installEventFilter(ear)
    window.show()
    window.table.setFocus()
    QTimer.singleShot(0, window, lambda: say(f"window {int(window.winId())}"))
    application.exec()
    window.filter.close()
    window.deleteLater()


if __name__ == "__main__":
    main()
