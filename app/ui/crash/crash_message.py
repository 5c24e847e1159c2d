"""Says that the program made a mistake, and what to send about it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.crash.crash_report import CrashReport, open_folder


class CrashDialog(QDialog):
    """Says what happened. It does not block: the window behind it can be used."""

    def __init__(self, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._more = 0
        self.setWindowTitle(self.tr("Something went wrong"))
        self.setModal(False)
        self.resize(680, 420)
        title = QLabel(self.tr("The program made a mistake"))
        title.setProperty("role", "title")
        about = QLabel(
            self.tr(
                "What you judged is on the disk. You can go on; if it comes again, please send us "
                "the details. They stay on this computer until you do: no keys, no spectra and "
                "not your home folder's name, but they may name a file or an object."
            )
        )
        about.setWordWrap(True)
        self.summary = QLabel()
        self.summary.setTextFormat(Qt.TextFormat.PlainText)
        self.summary.setWordWrap(True)
        self.again = QLabel()
        self.again.setProperty("role", "dim")
        self.again.hide()
        self.details = QPlainTextEdit()
        self.details.setReadOnly(True)
        self.details.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.details.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.details.setAccessibleName(self.tr("Details"))
        self.copy_button = QPushButton(self.tr("Copy"))
        self.copy_button.clicked.connect(self._copy)
        self.folder_button = QPushButton(self.tr("Open the folder"))
        self.folder_button.clicked.connect(self._open_folder)
        self.go_on_button = QPushButton(self.tr("Go on"))
        self.go_on_button.setProperty("role", "primary")
        self.go_on_button.setDefault(True)
        self.go_on_button.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.copy_button)
        row.addWidget(self.folder_button)
        row.addStretch(1)
        row.addWidget(self.go_on_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        for part in (title, about, self.summary, self.details, self.again):
            layout.addWidget(part)
        layout.addLayout(row)

    def show_report(self, report: CrashReport) -> None:
        self.summary.setText(report.summary)
        self.details.setPlainText(report.text)
        self._more = 0
        self.again.hide()

    def count_another(self, report: CrashReport) -> None:
        self._more += 1
        text = self.tr("{count} more since, the last: {what}")
        text = text.replace("{count}", str(self._more)).replace("{what}", report.summary)
        self.again.setTextFormat(Qt.TextFormat.PlainText)
        self.again.setText(text[:200])
        self.again.show()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.details.toPlainText())

    def _open_folder(self) -> None:
        open_folder(self._folder, self._say)

    def _say(self, words: str) -> None:
        self.again.setTextFormat(Qt.TextFormat.PlainText)
        self.again.setText(words)
        self.again.show()
