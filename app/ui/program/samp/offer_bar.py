"""Asks whether to open a table or spectrum that another program sent while a session is open."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from app.services.samp.received import FileOffered
from app.ui.judge.verdict.state_block import OneLineLabel
from app.ui.widgets.labels import button, row


class OfferBar(QFrame):
    """Above the page; a later offer takes the place of an earlier one. Never takes the focus."""

    accepted = Signal(object)
    """The `FileOffered`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "notice")
        self.offered: FileOffered | None = None
        self.text = OneLineLabel(self)
        self.yes = button(self.tr("Open it, closing this session"), "primary")
        self.no = button(self.tr("Not now"))
        row((self.text, 1), self.yes, self.no, margins=(12, 6, 12, 6), parent=self)
        self.yes.clicked.connect(self._accept)
        self.no.clicked.connect(self.close_question)
        self.hide()

    def ask(self, offered: FileOffered) -> None:
        self.offered = offered
        text = self.tr("{program} sends the spectrum {name}")
        if offered.is_table:
            text = self.tr("{program} sends the table {name}")
        name = offered.name or ("" if offered.path is None else offered.path.name)
        self.text.show_text(text.replace("{program}", offered.sender).replace("{name}", name))
        self.show()

    def close_question(self) -> None:
        self.offered = None
        self.hide()

    def _accept(self) -> None:
        offered = self.offered
        self.close_question()
        if offered is not None:
            self.accepted.emit(offered)
