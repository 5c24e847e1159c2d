"""The page of the export dialog about agent records: what they are, and whether there are any."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QFrame, QWidget

from agent.errors import WorkbenchError
from agent.trajectory.trajectory import ModelRef
from app.core.inspections.store import models_of
from app.core.session.records import Change
from app.ui.session_context import SessionContext
from app.ui.translation.message_texts import translate_message
from app.ui.widgets.labels import column, wrapped_label


def description_page(text: str, *more: QWidget) -> QWidget:
    """A page with a card that describes a file, and what stands below."""
    page = QWidget()
    card = QFrame()
    card.setProperty("role", "card")
    column(wrapped_label(text), margins=(16, 14, 16, 14), parent=card)
    column(card, *more, 1, parent=page)
    return page


class RecordsPanel(QWidget):
    counted = Signal()
    """Whether there are records is known anew."""

    def __init__(self, context: SessionContext, description: str) -> None:
        super().__init__()
        self._context = context
        self.has_rows = False
        self.note = wrapped_label("", "dim")
        column(description_page(description, self.note), parent=self)
        context.bridge.changed.connect(self._follow)

    def refresh(self) -> None:
        session = self._context.current.session
        self._context.runner.run(lambda: models_of(session), self._show, self._fail, owner=self)

    def _follow(self, change: Change) -> None:
        if self.isVisible() and change.aspect == "inspection" and not self.has_rows:
            self.refresh()

    def _show(self, models: list[ModelRef]) -> None:
        self.has_rows = bool(models)
        names = ", ".join(dict.fromkeys(model.name for model in models))
        text = QCoreApplication.translate("export", "No inspections yet: nothing to write")
        if models:
            text = QCoreApplication.translate("export", "Inspections of {names}")
        self.note.setText(text.replace("{names}", names))
        self.counted.emit()

    def _fail(self, error: WorkbenchError) -> None:
        self.has_rows = True  # writing says what is wrong
        self.note.setText(translate_message(str(error)))
        self.counted.emit()
