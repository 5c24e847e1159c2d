"""What the panel says while no service is turned on."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QFrame, QWidget

from app.ui.session_context import SessionContext
from app.ui.widgets.labels import button, column, row, wrapped_label


class EmptyPanel(QFrame):
    def __init__(self, context: SessionContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._commands = context.commands
        self.choose = button(self.tr("Choose services…"))
        self.choose.clicked.connect(partial(context.commands.run, "services"))
        layout = column(
            wrapped_label(self.tr("No service is turned on"), "title"),
            spacing=6,
            margins=(12, 10, 12, 10),
            parent=self,
        )
        text = self.tr(
            "SIMBAD, Gaia, surveys, light curves and pictures of the sky can be asked about each "
            "object, while you judge the one before. All are off at first: to ask, the position of "
            "the object leaves this computer. Turn on each one that you want."
        )
        layout.addWidget(wrapped_label(text))
        layout.addLayout(row(self.choose, 1))
