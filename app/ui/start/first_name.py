"""Asked once, at the first start, and never in the way: under which name verdicts are kept."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.core.user_name import told_name
from app.ui.settings.reviewer import reviewer_name
from app.ui.settings.settings_keeper import SettingsKeeper
from app.ui.widgets.labels import button, name
from app.ui.widgets.reviewer_name import MAX_NAME, NameField

ASKED = "name"
"""Among the settings' `told`."""
FIELD_PX = 240


class FirstName(QFrame):
    """Enter keeps the name, Esc takes the one that is proposed; so does whoever goes on without an
    answer. What was typed is kept then, too."""

    answered = Signal()
    put_off = Signal()
    """Esc."""

    def __init__(self, settings: SettingsKeeper, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._was_offered = False
        self.setProperty("role", "notice")
        asked = self.tr("Welcome. Under which name shall your verdicts be kept?")
        told = self.tr("Your name goes with each of them, and stays on this computer.")
        self.title, self.note = name(asked, "title"), name(told, "dim")
        self.field = NameField()
        self.field.setMaxLength(MAX_NAME)
        self.field.setAcceptDrops(False)
        self.field.setFixedWidth(FIELD_PX)
        self.field.setAccessibleName(self.tr("Your name"))
        self.keep = button(self.tr("Keep"), "primary")
        self._lay_out()
        self.field.setText(reviewer_name(settings.settings))
        self.field.returnPressed.connect(self.answer)
        self.field.given_up.connect(self.leave)
        self.keep.clicked.connect(self.answer)
        settings.changed.connect(self._follow)
        self._follow(None)

    @property
    def is_asking(self) -> bool:
        """Until there is an answer, or nobody wanted to give one."""
        settings = self._settings.settings
        is_known = settings.reviewer.strip() or told_name()
        return not is_known and ASKED not in settings.told

    def answer(self) -> None:
        self._take_name()
        self.answered.emit()

    def leave(self) -> None:
        self._settle()
        self.put_off.emit()

    def go_on(self) -> None:
        """A session is being opened."""
        if not (self.is_asking and self._was_offered):
            return
        if self.field.isModified():
            self._take_name()
        else:
            self._settle()

    def _take_name(self) -> None:
        typed = " ".join(self.field.text().split())
        changes = {"reviewer": typed} if typed.isprintable() and typed else {}
        self._settle(**changes)

    def _settle(self, **changes: str) -> None:
        """Without a name the proposed one it is, until it is changed below or in the settings."""
        self._settings.change(told=(*self._settings.settings.told, ASKED), **changes)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self._offer)

    def _offer(self) -> None:
        if self.isVisible():
            self._was_offered = True
            self.field.setFocus()
            self.field.selectAll()

    def _follow(self, _: object) -> None:
        self.setVisible(self.is_asking)

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.title)
        words.addWidget(self.note)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 12, 10)
        row.setSpacing(8)
        row.addLayout(words, 1)
        row.addWidget(self.field)
        row.addWidget(self.keep)
