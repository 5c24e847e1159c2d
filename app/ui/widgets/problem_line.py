"""A line that says what went wrong, in place, until it is read and closed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget


class ProblemLine(QFrame):
    """Not there while there is nothing to say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "notice")
        sign = QLabel("!")
        sign.setProperty("role", "warning")
        self.label = QLabel()
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.close_button = QToolButton()
        self.close_button.setText("✕")
        self.close_button.setAutoRaise(True)
        self.close_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.close_button.setAccessibleName(self.tr("Close this message"))
        self.close_button.clicked.connect(self.clear)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.setSpacing(12)
        layout.addWidget(sign)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.close_button)
        self.hide()

    def say(self, words: str) -> None:
        self.label.setText(words)
        self.setVisible(bool(words))

    def clear(self) -> None:
        self.say("")

    @property
    def words(self) -> str:
        return self.label.text()
