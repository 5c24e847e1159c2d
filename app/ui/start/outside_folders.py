"""The question whether a session may read spectra outside its own folder."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from agent.checked_toml import printable
from agent.errors import WorkbenchError
from app.core.session.spectra_folders import OutsideFoldersError, allow_folders

MAX_SHOWN = 12
MAX_LENGTH = 200


def ask_about_folders(
    parent: QWidget, error: WorkbenchError, open_again: Callable[[], None]
) -> bool:
    """Ask if that was the reason not to open a session; False if it was another reason."""
    if not isinstance(error, OutsideFoldersError):
        return False
    question = FoldersQuestion(error, parent)
    question.allowed.clicked.connect(open_again)
    question.open()
    return True


class FoldersQuestion(QMessageBox):
    """Does not block; asked once for each session, as the answer is kept on this computer."""

    def __init__(self, error: OutsideFoldersError, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setIcon(QMessageBox.Icon.Question)
        self.setText(self.tr("This session names spectra outside its own folder."))
        more = ["…"] if len(error.folders) > MAX_SHOWN else []
        shown = [printable(each, MAX_LENGTH) for each in error.folders[:MAX_SHOWN]]
        about = self.tr(
            "Read them only if you trust where the session comes from: what you export or pack "
            "may contain them."
        )
        self.setInformativeText("\n".join([*shown, *more, "", about]))
        self.allowed = self.addButton(self.tr("Read them"), QMessageBox.ButtonRole.AcceptRole)
        cancel = self.addButton(QMessageBox.StandardButton.Cancel)
        self.setEscapeButton(cancel)
        self.setDefaultButton(cancel)  # so that nobody agrees by mistake
        self.allowed.clicked.connect(partial(allow_folders, error.session_id, error.folders))
