"""Shows the reviewer's name, and lets it be changed in place."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPushButton, QSizePolicy, QWidget

from app.ui.base.keys.text_focus import OWN_KEYS
from app.ui.base.settings.settings import reviewer_name
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.widgets.labels import flow, keep_current, short_label

MAX_NAME = 100


class CancellableField(QLineEdit):
    """A line edit that can be cancelled with Esc."""

    cancelled = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)


class ReviewerName(QWidget):
    """The name, and a button that edits it; Enter or the button saves it in the settings."""

    def __init__(self, settings: SettingsStore) -> None:
        super().__init__()
        self._settings = settings
        label = short_label(self.tr("Judging as"), "dim")
        self.name = short_label("", "title")
        self.name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.field = CancellableField()
        self.field.setProperty(OWN_KEYS, True)
        self.field.setMaxLength(MAX_NAME)
        self.field.setAcceptDrops(False)
        self.field.setFixedWidth(200)
        self.field.setAccessibleName(self.tr("Your name"))
        self.field.returnPressed.connect(self._save)
        self.button = QPushButton()
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.setProperty("role", "quiet")
        self.button.clicked.connect(self._edit_or_save)
        flow(label, self.name, self.field, self.button, spacing=8, parent=self)
        settings.changed.connect(self._show)
        keep_current(self._close, self.field.cancelled)

    def _edit_or_save(self) -> None:
        if self.field.isVisibleTo(self):
            self._save()
            return
        self.field.setText(self.name.text())
        self._set_editing(True)
        self.field.setFocus()
        self.field.selectAll()

    def _save(self) -> None:
        self._settings.change(reviewer=" ".join(self.field.text().split()))
        self._close()

    def _close(self) -> None:
        self._set_editing(False)
        self._show(None)

    def _set_editing(self, on: bool) -> None:
        self.field.setVisible(on)
        self.name.setVisible(not on)
        self.button.setText(self.tr("Save") if on else self.tr("Change"))

    def _show(self, _: object) -> None:
        self.name.setText(reviewer_name(self._settings.settings))
        self.button.setAccessibleName(self.tr("Change your name"))
