"""Under which name one judges, with a way to change it in place."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QSizePolicy, QWidget

from app.ui.keys.text_focus import OWN_KEYS
from app.ui.settings.reviewer import reviewer_name
from app.ui.settings.settings_keeper import SettingsKeeper

MAX_NAME = 100


class NameField(QLineEdit):
    """Esc gives up."""

    given_up = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.given_up.emit()
        else:
            super().keyPressEvent(event)


class ReviewerName(QWidget):
    """Enter, or the button, keeps the name in the settings."""

    def __init__(self, settings: SettingsKeeper, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        before = QLabel(self.tr("You judge as"))
        before.setProperty("role", "dim")
        self.name = QLabel()
        self.name.setTextFormat(Qt.TextFormat.PlainText)
        self.name.setProperty("role", "title")
        self.name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.field = NameField()
        self.field.setProperty(OWN_KEYS, True)
        self.field.setMaxLength(MAX_NAME)
        self.field.setAcceptDrops(False)
        self.field.setFixedWidth(200)
        self.field.setAccessibleName(self.tr("Your name"))
        self.field.returnPressed.connect(self._keep)
        self.field.given_up.connect(self._close)
        self.button = QPushButton()
        self.button.setProperty("role", "quiet")
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.clicked.connect(self._flip)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        for part in (before, self.name, self.field, self.button):
            layout.addWidget(part)
        layout.addStretch(1)
        settings.changed.connect(self._show)
        self._close()

    def _flip(self) -> None:
        if self.field.isVisibleTo(self):
            self._keep()
            return
        self.field.setText(self.name.text())
        self._edit(True)
        self.field.setFocus()
        self.field.selectAll()

    def _keep(self) -> None:
        self._settings.change(reviewer=" ".join(self.field.text().split()))
        self._close()

    def _close(self) -> None:
        self._edit(False)
        self._show(None)

    def _edit(self, on: bool) -> None:
        self.field.setVisible(on)
        self.name.setVisible(not on)
        self.button.setText(self.tr("Keep") if on else self.tr("Change"))

    def _show(self, _: object) -> None:
        name = reviewer_name(self._settings.settings)
        self.name.setText(name)
        self.button.setAccessibleName(self.tr("Change your name"))
