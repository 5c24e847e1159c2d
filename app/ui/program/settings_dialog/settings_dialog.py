"""The settings dialog. It is not modal, and changes apply at once."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QListWidget,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.ui.base.background.runner import Runner
from app.ui.base.keys.keymap import Keymap
from app.ui.base.settings.settings import Settings
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.program.settings_dialog.agent_page import AgentPage
from app.ui.program.settings_dialog.keys_page import KeysPage
from app.ui.program.settings_dialog.services_page import ProgramsPage, ServicesPage
from app.ui.program.settings_dialog.settings_pages import AppearancePage, FilesPage, ReviewerPage
from app.ui.widgets.labels import bring_forward, column, row
from app.ui.widgets.text_width import DialogSize, ListWidth

SIZE = 780, 560
LIST_PX = 168


class SettingsDialog(QDialog):
    def __init__(
        self, settings: SettingsStore, keymap: Keymap, runner: Runner, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Settings"))
        self.setModal(False)
        self.reviewer = ReviewerPage(settings)
        self.appearance = AppearancePage(settings)
        self.keys = KeysPage(settings, keymap)
        self.agent = AgentPage(settings, runner)
        self.files = FilesPage(settings)
        self.services = ServicesPage(settings)
        self.programs = ProgramsPage(settings)
        own = (self.reviewer, self.appearance, self.keys)
        self.pages = (*own, self.agent, self.services, self.files, self.programs)
        self.list = QListWidget()
        self.stack = QStackedWidget()
        self._lay_out()
        self._show_settings(settings.settings)
        settings.changed.connect(self._show_settings)

    def open_page(self, page: QWidget | None = None) -> None:
        """Show the dialog at `page`, or at the page that was shown last."""
        if page is not None:
            self.list.setCurrentRow(self.stack.indexOf(page))
        bring_forward(self)

    def _lay_out(self) -> None:
        self.list.setProperty("role", "pages")
        self.list.setAccessibleName(self.tr("Pages"))
        self.list.addItems([page.heading.text() for page in self.pages])
        for page in self.pages:
            self.stack.addWidget(page)
        self.list.currentRowChanged.connect(self.stack.setCurrentIndex)
        ListWidth(self.list, LIST_PX)
        self.list.setCurrentRow(0)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        shown = QFrame()
        shown.setProperty("role", "card")
        QVBoxLayout(shown).addWidget(self.stack)
        middle = row(self.list, (shown, 1), spacing=12)
        column((middle, 1), buttons, spacing=12, margins=12, parent=self)
        self.setWindowFlag(Qt.WindowType.WindowContextHelpButtonHint, False)
        DialogSize(self, *SIZE)

    def _show_settings(self, settings: Settings) -> None:
        for page in self.pages:
            page.show_settings(settings)
