"""What went wrong lately, in full, over the status line: it goes when clicked beside."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget


class ErrorSheet(QFrame):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setAccessibleName(self.tr("What went wrong"))
        self.copy = QPushButton(self.tr("Copy"), self)
        self.copy.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.copy)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(12, 12, 12, 12)
        whole.setSpacing(8)
        whole.addWidget(self.text)
        whole.addLayout(foot)
        self.copy.clicked.connect(self._copy)

    def sizeHint(self) -> QSize:
        return QSize(560, 260)

    def show_text(self, text: str) -> None:
        self.text.setPlainText(text)
        self.resize(self.sizeHint())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
