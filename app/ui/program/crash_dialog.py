"""The dialog that reports an internal error and offers its details to send."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QPushButton, QWidget

from app.ui.base.crash_report import CrashReport, open_folder
from app.ui.widgets.labels import column, narrow, row, wrapped_label


class CrashDialog(QDialog):
    """Not modal: the window behind it stays usable."""

    def __init__(self, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._repeats = 0
        self.setWindowTitle(self.tr("Something went wrong"))
        self.setModal(False)
        self.resize(680, 420)
        title = narrow(wrapped_label(self.tr("An internal error occurred"), "title"))
        text = self.tr(
            "Your verdicts are saved and you can continue. If this happens again, please send us "
            "the details. They stay on this computer until you do, and contain no keys, no spectra "
            "and not your home folder's name, but may name a file or an object."
        )
        about = narrow(wrapped_label(text))
        self.summary = narrow(wrapped_label(""))
        self.note = narrow(wrapped_label("", "dim"))
        self.note.hide()
        self.details = QPlainTextEdit(readOnly=True)
        self.details.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.details.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.details.setAccessibleName(self.tr("Details"))
        self.copy_button = QPushButton(self.tr("Copy"))
        self.copy_button.clicked.connect(self._copy)
        self.folder_button = QPushButton(self.tr("Open folder"))
        self.folder_button.clicked.connect(self._open_folder)
        self.continue_button = QPushButton(self.tr("Continue"))
        self.continue_button.setProperty("role", "primary")
        self.continue_button.setDefault(True)
        self.continue_button.clicked.connect(self.accept)
        buttons = row(self.copy_button, self.folder_button, 1, self.continue_button)
        texts = title, about, self.summary, self.details, self.note
        column(*texts, buttons, spacing=12, margins=16, parent=self)

    def show_report(self, report: CrashReport) -> None:
        self.summary.setText(report.summary)
        self.details.setPlainText(report.text)
        self._repeats = 0
        self.note.hide()

    def count_another(self, report: CrashReport) -> None:
        self._repeats += 1
        text = self.tr("{count} more since then; the latest: {what}")
        text = text.replace("{count}", str(self._repeats)).replace("{what}", report.summary)
        self._show_note(text[:200])

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.details.toPlainText())

    def _open_folder(self) -> None:
        open_folder(self._folder, self._show_note)

    def _show_note(self, text: str) -> None:
        self.note.setText(text)
        self.note.show()
