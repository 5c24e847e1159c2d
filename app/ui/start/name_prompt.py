"""Asks once, at the first start, for the name under which verdicts are saved."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame

from app.core.reviewer_name import name_from_environment
from app.ui.settings.settings import reviewer_name
from app.ui.settings.settings_store import SettingsStore
from app.ui.widgets.labels import button, column, row, short_label
from app.ui.widgets.reviewer_name import MAX_NAME, NameField

NAME_ASKED = "name"
"""Entry in `Settings.told`."""
FIELD_PX = 240


class NamePrompt(QFrame):
    """Enter saves the typed name; Esc keeps the proposed one.

    Opening a session without an answer saves what was typed, else keeps the proposed name.
    """

    answered = Signal()
    dismissed = Signal()

    def __init__(self, settings: SettingsStore) -> None:
        super().__init__()
        self._settings = settings
        self._was_shown = False
        self.setProperty("role", "notice")
        question = self.tr("Welcome. Which name should your verdicts be saved under?")
        note = self.tr("Your name is saved with each verdict and stays on this computer.")
        self.title, self.note = short_label(question, "title"), short_label(note, "dim")
        self.field = NameField()
        self.field.setMaxLength(MAX_NAME)
        self.field.setAcceptDrops(False)
        self.field.setFixedWidth(FIELD_PX)
        self.field.setAccessibleName(self.tr("Your name"))
        self.keep_button = button(self.tr("Save"), "primary")
        row(
            (column(self.title, self.note, spacing=2), 1),
            self.field,
            self.keep_button,
            margins=(16, 10, 12, 10),
            parent=self,
        )
        self.field.setText(reviewer_name(settings.settings))
        self.field.returnPressed.connect(self.answer)
        self.field.cancelled.connect(self.dismiss)
        self.keep_button.clicked.connect(self.answer)
        settings.changed.connect(self._follow)
        self._follow(None)

    @property
    def is_needed(self) -> bool:
        """Whether the name is unknown and the question was not answered or dismissed yet."""
        settings = self._settings.settings
        is_known = settings.reviewer.strip() or name_from_environment()
        return not is_known and NAME_ASKED not in settings.told

    def ask_before(self, call: Callable[[], object]) -> None:
        """Call it once the question is answered or dismissed; at once if there is none."""
        once = Qt.ConnectionType.SingleShotConnection
        if self.is_needed:
            self.answered.connect(call, once)
            self.dismissed.connect(call, once)
        else:
            call()

    def answer(self) -> None:
        self._save_name()
        self.answered.emit()

    def dismiss(self) -> None:
        self._mark_asked()
        self.dismissed.emit()

    def skip(self) -> None:
        """Stop asking because a session is being opened."""
        if not (self.is_needed and self._was_shown):
            return
        if self.field.isModified():
            self._save_name()
        else:
            self._mark_asked()

    def _save_name(self) -> None:
        typed = " ".join(self.field.text().split())
        self._mark_asked(**{"reviewer": typed} if typed.isprintable() and typed else {})

    def _mark_asked(self, **changes: str) -> None:
        """Save the changes, and do not ask again."""
        self._settings.change(told=(*self._settings.settings.told, NAME_ASKED), **changes)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self._take_focus)

    def _take_focus(self) -> None:
        if self.isVisible():
            self._was_shown = True
            self.field.setFocus()
            self.field.selectAll()

    def _follow(self, _: object) -> None:
        self.setVisible(self.is_needed)
